// Limits that can be taken away: what a kernel would save if one part of the machine were
// infinitely fast.
//
// An elimination is the same kernel at the same clock with the same bytes at every level, and one
// group of constants (Limiter) at zero time. The clock is kept, since a part that nobody has draws
// no power that one could know. The bytes are kept (request_log.h), since they follow the pace: a
// kernel whose tensor cores take no time loses the step of its CTAs, and with it half of the
// merging of their requests; simulated freely it is then bound by L2 and up to 22 % slower, which
// says nothing of what it waits for now. With both kept it is still who is served first that
// changes, so that a part whose absence saves next to nothing may seem to cost something: more than
// 0.5 % in 2 % of the eliminations of 120 kernels of the data set, 6.2 % at worst, where CTAs of
// one tile each come to other places. Such parts save nothing and are not listed.
//
// Leaves out: interactions, so that what parts save does not add up to the kernel.
// Checked by: limits_test.cpp; simulate_test.cpp uses them for closed forms.
#pragma once

#include <functional>
#include <vector>

#include "model/gemm/sim/simulate.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// The same GPU with this part infinitely fast.
GpuSpec without(GpuSpec gpu, Limiter part);

struct Elimination {
  Limiter part;
  Cycles cycles;  // of the kernel without it
};

/// `cycles_without` each part in turn, of a kernel that takes `whole` cycles: the one that saves
/// most first; parts that save nothing are left out. On `threads` (0: one for each processor).
std::vector<Elimination> eliminate_each(Cycles whole, unsigned threads,
                                        const std::function<Cycles(Limiter)>& cycles_without);

/// The kernel without one part, as far as K as it was simulated with all of them; `requests` as
/// they became then.
Simulated simulate_without(const GpuSpec& gpu, Limiter part, const GemmProblem& problem,
                           const KernelConfig& config, Residency residency, Hertz sm_clock,
                           Waves waves, const GemmRequests& requests);

/// The same by simulation, as many as there are parts, beside `requests.cycles`.
std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves, const GemmRequests& requests, unsigned threads = 1);

}  // namespace tilecast
