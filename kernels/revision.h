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
  i64 revision;
};
/// The first row whose prefix matches the configuration's string applies.
constexpr KernelRevision kKernelRevisions[] = {{"tcgen05_", 1},         // kernels/gemm/tcgen05_*
                                               {"memcpy", 1},           // kernels/stream
                                               {"elementwise_add", 1},  // kernels/stream
                                               {"attention_", 3},       // kernels/attention
                                               {"", 1}};  // wgmma kernels of kernels/gemm

constexpr i64 kernel_revision(std::string_view config) {
  for (const KernelRevision& family : kKernelRevisions) {
    if (config.starts_with(family.schedules)) {
      return family.revision;
    }
  }
  return 0;  // unreachable: the last row matches any text
}

}  // namespace tilecast
