// Computes the features of a GEMM kernel for the learned correction (kGemmFeatures,
// model/spec/learned_model.h).
//
// They are the quantities that an engineer would examine: the analytic model's bottlenecks, how
// full the last wave is, operand sharing, out-of-bounds and unaligned parts, tile and pipeline, and
// traits of the schedule. All are continuous or count something small; none identifies a schedule,
// GPU or problem.
//
// Not modelled: anything unknown before a run. Checked by: kernel_features_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/form/closed_form.h"
#include "model/learn/features.h"

namespace tilecast {

/// Results of a simulation at the analytic model's clock.
struct SimulatedWork {
  Cycles cycles;
  Bytes l2, dram;  // l2: output, where merged requests count once; dram: reads and writes
  Shares busy;
};

/// Kinds of a problem and of its kernel (KernelFeatures::kinds), in words.
std::vector<std::string_view> kinds_of(const GemmProblem& problem);
std::vector<std::string_view> kinds_of(const GemmProblem& problem, const KernelConfig& config);

/// `form` and `work` belong to the configuration at `sm_clock`, the analytic model's clock for
/// normal data, for both methods. `simulated`: std::nullopt without a simulation.
KernelFeatures kernel_features(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, const GemmWork& work,
                               const ClosedForm& form, Hertz sm_clock,
                               const std::optional<SimulatedWork>& simulated, Regime regime);

}  // namespace tilecast
