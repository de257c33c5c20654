// Revision of each kernel family. Together with op, problem and configuration it identifies the
// kernel of a measured row. A row without a revision has revision 1.
//
// Increase a family's revision with any change that can change its run time: instructions,
// registers, shared memory or launches. Changes of symbol names and argument offsets do not count.
// Then measure a sample of its committed rows again: a new row replaces the row of the same point
// with a lower revision; other rows stay. Checked by: revision_test.cpp (machine code of a sample
// of kernels).
#pragma once

#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

struct KernelRevision {
  std::string_view schedules;  // prefix of the schedules' names
  i64 revision, with_clusters;
  i64 narrow_chunks;  // added for rows of C that end in a narrower chunk
};
/// The first row whose prefix matches the configuration's string applies.
constexpr KernelRevision kKernelRevisions[] = {{"tcgen05_", 1, 1, 0},    // kernels/gemm/tcgen05_*
                                               {"multistage", 1, 1, 0},  // kernels/gemm/multistage*
                                               {"memcpy", 1, 1, 0},      // kernels/stream
                                               {"elementwise_add", 1, 1, 0},  // kernels/stream
                                               {"attention_", 3, 3, 0},       // kernels/attention
                                               {"", 1, 2, 1}};  // other kernels of kernels/gemm

/// Whether the configuration, in canonical form, has clusters of several CTAs.
constexpr bool has_clusters(std::string_view config) {
  const std::size_t at = config.find(",cluster=");
  return at != std::string_view::npos && !config.substr(at).starts_with(",cluster=1x1");
}

/// Returns the second number of `key`=AxB in the configuration; 1 without the key.
constexpr i64 second_number(std::string_view config, std::string_view key) {
  const std::size_t at = config.find(key);
  if (at == std::string_view::npos) {
    return 1;
  }
  i64 number = 0;
  for (std::size_t i = config.find('x', at) + 1;
       i < config.size() && config[i] >= '0' && config[i] <= '9'; ++i) {
    number = 10 * number + (config[i] - '0');
  }
  return number;
}

/// Whether a warpgroup's columns are not whole chunks of 64, but an even number of eights. Their
/// bulk stores had 16 or 32 columns each in the first revision, and now have 64 but for the last.
constexpr bool has_narrow_chunks(std::string_view config) {
  const i64 columns = second_number(config, "tile=") / second_number(config, "warpgroups=");
  return columns > 32 && columns != 96 && columns % 16 == 0 && columns % 64 != 0;
}

constexpr const KernelRevision& revision_row(std::string_view config) {
  const KernelRevision* row = kKernelRevisions;
  while (!config.starts_with(row->schedules)) {  // the last row matches any text
    ++row;
  }
  return *row;
}

constexpr i64 kernel_revision(std::string_view config) {
  const KernelRevision& row = revision_row(config);
  return (has_clusters(config) ? row.with_clusters : row.revision) +
         (has_narrow_chunks(config) ? row.narrow_chunks : 0);
}

/// Nanoseconds that a launch of the kernel of today takes less than one of an earlier revision.
/// Clusters, revision 2: their barriers at start and end no longer order memory accesses. The
/// median of 66 pairs is 512, the quartiles 412 and 576 (validate/data/h200_sxm/kernel_changes);
/// the model had 450 of it as machine.cluster.
constexpr double nanoseconds_saved(std::string_view config, i64 revision) {
  return has_clusters(config) && revision < revision_row(config).with_clusters ? 450 : 0;
}

}  // namespace tilecast
