// The operations whose kernels are modelled.
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
  kAttention,       // O = softmax(scale Q K^T) V, for each head of each sequence
};

/// Properties of an op, one row each, for code that serves all ops.
struct OpTraits {
  const char* name;
  i32 sides;               // dimensions of its shape: columns m, n and k
  bool processes = false;  // its kernels can be simulated
  bool simulated = false;  // simulated by default
  bool grouped = false;    // its problems may be batches and groups, and have GEMM's output options
  i32 parts = sides;       // numbers in its shape's string, separated by x
  const char* side_names[3] = {"m", "n", "k"};  // names in messages and lists of problems
};
TILECAST_HD constexpr OpTraits traits_of(Op op) {
  switch (op) {
    case Op::kGemm:
      return {.name = "gemm", .sides = 3, .processes = true, .simulated = true, .grouped = true};
    case Op::kMemcpy:
      return {.name = "memcpy", .sides = 1};
    case Op::kElementwiseAdd:
      return {.name = "elementwise_add", .sides = 2};
    case Op::kAttention:
      return {.name = "attention",
              .sides = 3,
              .processes = true,
              .parts = 5,
              .side_names = {"queries", "keys", "head_dim"}};
  }
  return {};  // not an op
}
TILECAST_HD constexpr i32 sides_of(Op op) { return traits_of(op).sides; }

#ifndef __CUDACC_RTC__
std::string_view to_text(Op op);
/// Parses an op's name. Throws a ConfigError that lists the known words.
Op parse_op(std::string_view text);
#endif

}  // namespace tilecast
