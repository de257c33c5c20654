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

/// What an op is to those that serve every op: one row each.
struct OpTraits {
  const char* name;
  i32 sides;               // of its shape
  bool simulated = false;  // its kernels are simulated, where nobody asks for another method
};
TILECAST_HD constexpr OpTraits traits_of(Op op) {
  switch (op) {
    case Op::kGemm:
      return {.name = "gemm", .sides = 3, .simulated = true};
    case Op::kMemcpy:
      return {.name = "memcpy", .sides = 1};
    case Op::kElementwiseAdd:
      return {.name = "elementwise_add", .sides = 2};
  }
  return {};  // no op
}
TILECAST_HD constexpr i32 sides_of(Op op) { return traits_of(op).sides; }

#ifndef __CUDACC_RTC__
std::string_view to_text(Op op);
/// Throws ConfigError that lists the known words.
Op parse_op(std::string_view text);
#endif

}  // namespace tilecast
