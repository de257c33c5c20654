// What bounds a kernel, in one word for predict, explain, validate and the report; and how busy
// each resource is. Each word is also a group of constants of the GPU file that can be made
// infinitely fast (model/gemm/sim/limits.h).
#pragma once

#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

enum class Limiter : i32 {
  kTensor,        // FLOPs of the tensor pipes
  kSharedMemory,  // its reads of operands for the tensor pipes
  kSmIntake,      // what an SM takes in
  kL2,            // its output, C on its way in, and the counter that tickets are drawn from
  kDram,          // its bandwidth
  kLatency,       // of loads, and of tensor operations that are waited for
  kInstructions,  // of warps around tensor operations and loads
  kEpilogue,      // accumulators to C; a bulk store of memory-bound kernels too
  kReduction,     // partial sums that SMs leave to each other
  kLaunch,        // of the kernel and of its CTAs, and its end
};
constexpr Limiter kEveryLimiter[] = {
    Limiter::kTensor,    Limiter::kSharedMemory, Limiter::kSmIntake,     Limiter::kL2,
    Limiter::kDram,      Limiter::kLatency,      Limiter::kInstructions, Limiter::kEpilogue,
    Limiter::kReduction, Limiter::kLaunch};

std::string_view to_text(Limiter limiter);
/// Throws ConfigError that lists the known words.
Limiter parse_limiter(std::string_view text);

/// Busy fraction of each resource over some time, 0 to 1.
struct Shares {
  double tensor, shared_memory, sm_intake, l2, dram;
};

/// Of a simulated kernel: what is busiest, where that is most of the time; else the closed form's.
/// Of 160 kernels of the data set this is what costs most (model/gemm/sim/limits.h) in 122.
Limiter limiter_of(const Shares& busy, Limiter by_form);

}  // namespace tilecast
