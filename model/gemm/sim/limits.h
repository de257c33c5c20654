// Finds bottlenecks: the time that a kernel would save if one part of the machine were infinitely
// fast.
//
// Each saving is found by simulating the same kernel at the same clock with the same bytes at every
// level, and one group of constants (Limiter) at zero time. The clock is kept, because the power of
// an eliminated part is unknown. The bytes are kept (request_log.h), because they depend on the
// pace: with infinitely fast tensor cores the CTAs get out of lockstep and half as many of their
// requests merge. Simulated with its own requests, such a kernel becomes L2-bound and up to 22 %
// slower, which says nothing about its bottleneck. Even so, the order of requests changes, and a
// part that saves almost nothing may seem to cost time: more than 0.5 % in 2 % of these simulations
// of 120 kernels of the data set, 6.2 % at worst, for kernels with one tile per CTA, whose CTAs get
// other slots. The savings of such parts count as zero, and they are not listed.
//
// Not modelled: interactions, so savings do not add up to the kernel's time. Checked by:
// limits_test.cpp; simulate_test.cpp uses them to compare with analytic models.
#pragma once

#include <functional>
#include <vector>

#include "model/gemm/sim/simulate.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// Returns the GPU with this resource infinitely fast.
GpuSpec without(GpuSpec gpu, Limiter part);

struct Elimination {
  Limiter part;
  Cycles cycles;  // cycles of the kernel without it
};

/// Calls `cycles_without` for each resource and returns those without which the kernel takes fewer
/// than its `whole` cycles, the largest saving first. Runs on `threads` threads, one per processor
/// if 0.
std::vector<Elimination> eliminate_each(Cycles whole, unsigned threads,
                                        const std::function<Cycles(Limiter)>& cycles_without);

/// Simulates the kernel without one part, with K shortened as in the original simulation, replaying
/// `requests`.
Simulated simulate_without(const GpuSpec& gpu, Limiter part, const GemmProblem& problem,
                           const KernelConfig& config, Residency residency, Hertz sm_clock,
                           Waves waves, const GemmRequests& requests);

/// Eliminates all parts by simulation, compared with `requests.cycles`.
std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, const GemmRequests& requests, unsigned threads = 1);

}  // namespace tilecast
