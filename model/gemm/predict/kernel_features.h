// What the learned part sees of a GEMM kernel on a problem (kLearnedFeatures,
// model/spec/learned_model.h).
//
// What an engineer would look at: where the closed form's time goes and what bounds a K block, how
// full the last wave is, who shares operands, what lies out of bounds or off its lines, the tile
// and its ring, and what sets a schedule apart. All move continuously or count something small;
// none says which schedule, GPU or problem it is.
//
// Leaves out: anything that is not known before a run. Checked by: kernel_features_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/form/closed_form.h"
#include "model/learn/features.h"

namespace tilecast {

/// What a simulation says of a kernel, at the closed form's clock.
struct SimulatedWork {
  Cycles cycles;
  Bytes l2, dram;  // that L2 puts out, concurrent requests once; that DRAM reads and writes
  Shares busy;
};

/// Whatever the GPU: no row that is learned from has sums that are promoted.
constexpr bool never_learned(const GemmProblem& problem) { return promotes(problem); }

/// `form` and `work` are of the configuration at `sm_clock`, where the closed form settles on
/// normal data, whatever the method; `simulated`: none where it was not.
KernelFeatures kernel_features(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock,
                               const std::optional<SimulatedWork>& simulated, Regime regime);

}  // namespace tilecast
