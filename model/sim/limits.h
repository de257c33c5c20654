// The parts of the machine as limits that can be taken away: what a kernel waits for is the part
// that, made infinite, helps it most.
// Checked by: limits_test.cpp; simulate_test.cpp uses them for closed forms.
#pragma once

#include <string_view>
#include <vector>

#include "model/sim/simulate.h"
#include "model/sim/simulate_stream.h"

namespace tilecast {

enum class Part : i32 {
  kTensor,        // FLOPs of the tensor pipes
  kOperandReads,  // from shared memory to the pipes
  kIntake,        // of each SM
  kL2Output,      // what it takes in too, and the counter that tickets are drawn from
  kDram,          // bandwidth
  kLatency,       // of loads, and of wgmmas when waited for
  kInstructions,  // of warps around wgmmas and loads
  kEpilogue,      // a bulk store of memory-bound kernels too
  kReduction,     // partial sums that SMs leave to each other
  kLaunch,        // of the kernel and of its CTAs, and its end
};
constexpr Part kEveryPart[] = {
    Part::kTensor,  Part::kOperandReads, Part::kIntake,   Part::kL2Output,  Part::kDram,
    Part::kLatency, Part::kInstructions, Part::kEpilogue, Part::kReduction, Part::kLaunch};

std::string_view to_text(Part part);

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
