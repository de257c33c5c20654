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
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct KernelRevision {
  std::string_view schedules;  // prefix of the schedules' names
  i64 revision, with_clusters;
};
/// The first row whose prefix matches the configuration's string applies.
constexpr KernelRevision kKernelRevisions[] = {{"tcgen05_", 1, 1},    // kernels/gemm/tcgen05_*
                                               {"multistage", 1, 1},  // kernels/gemm/multistage*
                                               {"memcpy", 1, 1},      // kernels/stream
                                               {"elementwise_add", 1, 1},  // kernels/stream
                                               {"attention_", 3, 3},       // kernels/attention
                                               {"", 1, 2}};  // other kernels of kernels/gemm

/// Whether the configuration, in canonical form, has clusters of several CTAs.
constexpr bool has_clusters(std::string_view config) {
  const std::size_t at = config.find(",cluster=");
  return at != std::string_view::npos && !config.substr(at).starts_with(",cluster=1x1");
}

/// Whether the kernel's bulk stores of C are wider than in the first revision, where all had the 16
/// or 32 columns that divide a warpgroup's. Odd multiples of eight columns always had a last box.
constexpr bool has_wider_boxes(const KernelConfig& config, const GemmProblem& problem) {
  return c_last_columns(config, c_column_bytes(problem), problem.epilogue) > 0 &&
         !in_odd_eights(config.tiling);
}

constexpr const KernelRevision& revision_row(std::string_view config) {
  const KernelRevision* row = kKernelRevisions;
  while (!config.starts_with(row->schedules)) {  // the last row matches any text
    ++row;
  }
  return *row;
}

/// For a configuration in canonical form. `wider_boxes`: has_wider_boxes; false for other ops.
constexpr i64 kernel_revision(std::string_view config, bool wider_boxes) {
  const KernelRevision& row = revision_row(config);
  return (has_clusters(config) ? row.with_clusters : row.revision) + (wider_boxes ? 1 : 0);
}

/// Nanoseconds that a launch of the kernel of today takes less than one of an earlier revision.
/// Clusters, revision 2: their barriers at start and end no longer order memory accesses. The
/// median of 66 pairs is 512, the quartiles 412 and 576 (validate/data/h200_sxm/kernel_changes);
/// the model had 450 of it as machine.cluster.
constexpr double nanoseconds_saved(std::string_view config, i64 revision) {
  return has_clusters(config) && revision < revision_row(config).with_clusters ? 450 : 0;
}

}  // namespace tilecast
