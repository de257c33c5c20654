// Computes the activity of a GEMM kernel for the clock model: its work over the chip, and how it is
// distributed over phases.
//
// A simulation gives both; the analytic model has a single phase. Waves that were skipped form a
// phase of their own, placed where the first would have begun. A request counts when it is issued
// (model/sim/chip/activity.h). Checked by: kernel_activity_test.cpp.
#pragma once

#include <vector>

#include "model/clock/phase_clock.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/sim/simulate.h"

namespace tilecast {

/// Activity from the analytic model, at any clock.
KernelActivity kernel_activity(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work);
/// Activity of a simulated GEMM, as recorded by `seen`.
KernelActivity kernel_activity(const GemmProblem& problem, const KernelConfig& config,
                               const Simulated& kernel, const Activity& seen);

/// Maximum number of phases made of a kernel's slices; neighbours are merged.
constexpr std::size_t kMostPhases = 16;
std::vector<PhaseShares> kernel_phases(const Simulated& kernel, const Activity& activity,
                                       std::size_t most = kMostPhases);

}  // namespace tilecast
