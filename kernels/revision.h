// The revision of each family of kernels. With op, problem and configuration it identifies what a
// measured row measured; a row without one has revision 1.
//
// Raise a family's by one with a change after which its kernels may take another time: other
// instructions, registers, shared memory or launches. Symbol names and the offsets of arguments do
// not count. Then measure a sample of its committed rows again: a row gives way to a row of the
// same point with a higher revision, and stays where there is none.
// Checked by: revision_test.cpp (the machine code of a sample of kernels).
#pragma once

#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

struct KernelRevision {
  std::string_view schedules;  // what their names begin with
  i64 revision;
};
/// The first that begins a configuration's text counts.
constexpr KernelRevision kKernelRevisions[] = {{"tcgen05_", 1},         // kernels/gemm/tcgen05_*
                                               {"memcpy", 1},           // kernels/stream
                                               {"elementwise_add", 1},  // kernels/stream
                                               {"", 1}};                // kernels/gemm with wgmma

constexpr i64 kernel_revision(std::string_view config) {
  for (const KernelRevision& family : kKernelRevisions) {
    if (config.starts_with(family.schedules)) {
      return family.revision;
    }
  }
  return 0;  // not reached: the last row takes any text
}

}  // namespace tilecast
