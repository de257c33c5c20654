// What a kernel computes.
#pragma once

#ifndef __CUDACC_RTC__  // NVRTC has no standard library
#include <string_view>
#endif

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

enum class Op : i32 {
  kGemm,            // C[m,n] = A[m,k] * B
  kMemcpy,          // out = in, a vector
  kElementwiseAdd,  // C = A + B, matrices
};

/// Sides of the op's shape.
TILECAST_HD constexpr i32 sides_of(Op op) {
  return op == Op::kGemm ? 3 : op == Op::kElementwiseAdd ? 2 : 1;
}

#ifndef __CUDACC_RTC__
std::string_view to_text(Op op);
/// Throws ConfigError that lists the known words.
Op parse_op(std::string_view text);
#endif

}  // namespace tilecast
