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
};
/// The first row whose prefix matches the configuration's string applies.
constexpr KernelRevision kKernelRevisions[] = {{"tcgen05_", 1, 1},         // kernels/gemm/tcgen05_*
                                               {"memcpy", 1, 1},           // kernels/stream
                                               {"elementwise_add", 1, 1},  // kernels/stream
                                               {"attention_", 3, 3},       // kernels/attention
                                               {"", 1, 2}};  // other kernels of kernels/gemm

/// Whether the configuration, in canonical form, has clusters of several CTAs.
constexpr bool has_clusters(std::string_view config) {
  const std::size_t at = config.find(",cluster=");
  return at != std::string_view::npos && !config.substr(at).starts_with(",cluster=1x1");
}

constexpr i64 kernel_revision(std::string_view config) {
  for (const KernelRevision& family : kKernelRevisions) {
    if (config.starts_with(family.schedules)) {
      return has_clusters(config) ? family.with_clusters : family.revision;
    }
  }
  return 0;  // unreachable: the last row matches any text
}

/// Nanoseconds that a launch of the kernel of today takes less than one of an earlier revision.
/// Clusters, revision 2: their barriers at start and end no longer order memory accesses. The
/// median of 66 pairs is 512, the quartiles 412 and 576 (validate/data/h200_sxm/kernel_changes);
/// the model had 450 of it as machine.cluster.
constexpr double nanoseconds_saved(std::string_view config, i64 revision) {
  return revision < kernel_revision(config) && has_clusters(config) ? 450 : 0;
}

}  // namespace tilecast
