// The parts of the machine as limits that can be taken away: what a kernel waits for is the part
// that, made infinite, helps it most.
// Checked by: limits_test.cpp; simulate_test.cpp uses them for closed forms.
#pragma once

#include <vector>

#include "model/sim/simulate.h"
#include "model/sim/simulate_stream.h"
#include "model/spec/part.h"

namespace tilecast {

/// The same GPU with this part infinitely fast.
GpuSpec without(GpuSpec gpu, Part part);

struct Elimination {
  Part part;
  Cycles cycles;  // of the kernel without it
};

/// The kernel without each part in turn, the one that helps most first. As many simulations as
/// there are parts, on `threads` (0: one for each processor).
std::vector<Elimination> eliminate(const GpuSpec& gpu, const GemmProblem& problem,
                                   const KernelConfig& config, Residency residency, Hertz sm_clock,
                                   Waves waves = Waves::kAll, unsigned threads = 1);

std::vector<Elimination> eliminate(const GpuSpec& gpu, const StreamProblem& problem,
                                   const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                                   unsigned threads = 1);

}  // namespace tilecast
