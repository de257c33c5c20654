// What the clock model counts of a GEMM kernel: its work over the chip, and what of it falls into
// which part of its time.
//
// A simulation tells both. Waves that it left out are a phase of their own, of what was not seen,
// behind the slice in which they would have begun. A request counts when it is asked for
// (model/sim/chip/activity.h). Leaves out: phases of closed forms, which are one.
// Checked by: kernel_activity_test.cpp.
#pragma once

#include <vector>

#include "model/clock/phase_clock.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/sim/simulate.h"

namespace tilecast {

/// Of a GEMM by closed form, at whatever clock.
KernelActivity kernel_activity(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work);
/// Of a simulated GEMM, which `seen` saw.
KernelActivity kernel_activity(const GemmProblem& problem, const KernelConfig& config,
                               const Simulated& kernel, const Activity& seen);

/// At most so many of `activity`'s slices, which saw `kernel`, make a phase each; neighbours are
/// joined.
constexpr std::size_t kMostPhases = 16;
std::vector<PhaseShares> kernel_phases(const Simulated& kernel, const Activity& activity,
                                       std::size_t most = kMostPhases);

}  // namespace tilecast
