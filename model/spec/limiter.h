// Names a kernel's bottleneck in one word, for predict, explain, validate and the report; and holds
// the utilization of each resource. Each word is also a group of constants in the GPU file that can
// be made infinitely fast (model/gemm/sim/limits.h).
#pragma once

#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

enum class Limiter : i32 {
  kTensor,        // FLOP rate of the tensor pipes
  kSharedMemory,  // operand reads by the tensor pipes
  kSmIntake,      // fill bandwidth of an SM
  kL2,            // L2 output, C on its way in, and the atomic counter of tile tickets
  kDram,          // DRAM bandwidth
  kLatency,       // latency of loads, and of tensor operations that are waited for
  kInstructions,  // instruction issue around tensor operations and loads
  kEpilogue,      // storing accumulators to C; also bulk stores of memory-bound kernels
  kReduction,     // exchange of partial sums through L2
  kLaunch,        // kernel and CTA launch, and the kernel's end
};
constexpr Limiter kEveryLimiter[] = {
    Limiter::kTensor,    Limiter::kSharedMemory, Limiter::kSmIntake,     Limiter::kL2,
    Limiter::kDram,      Limiter::kLatency,      Limiter::kInstructions, Limiter::kEpilogue,
    Limiter::kReduction, Limiter::kLaunch};

std::string_view to_text(Limiter limiter);
/// Parses a bottleneck's word. Throws a ConfigError that lists the known words.
Limiter parse_limiter(std::string_view text);

/// Utilization of each resource, 0 to 1.
struct Shares {
  double tensor, shared_memory, sm_intake, l2, dram;
};

/// Returns the bottleneck of a simulated kernel: the busiest resource if it is busy most of the
/// time, else the analytic model's. For 122 of 160 measured kernels it is the resource whose
/// removal would save most (model/gemm/sim/limits.h).
Limiter limiter_of(const Shares& busy, Limiter by_form);

}  // namespace tilecast
