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
#include "model/op/op.h"

namespace tilecast {

constexpr i64 kGemmRevision = 1;     // kernels/gemm with wgmma
constexpr i64 kTcgen05Revision = 1;  // kernels/gemm/tcgen05_*
constexpr i64 kStreamRevision = 1;   // kernels/stream

/// `config`: a configuration of the op, as text.
constexpr i64 kernel_revision(Op op, std::string_view config) {
  return op != Op::kGemm                  ? kStreamRevision
         : config.starts_with("tcgen05_") ? kTcgen05Revision
                                          : kGemmRevision;
}

}  // namespace tilecast
