// Predicts GEMMs by simulation. The clock follows from the simulated cycles and activity, and the
// cycles depend on the clock through latencies in nanoseconds, so both are solved for together. A
// simulation at one clock is scaled to others like the analytic model. Without a learned
// correction, a kernel whose solution is far from the simulated clock is simulated again at that
// solution. The learned correction applies to simulations at the analytic model's clock.
//
// Large kernels are simulated without their steady waves (model/gemm/sim/kernel/steady_waves.h).
// Checked by: simulated_gemm_test.cpp; committed measurements (validate --method simulated).
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "model/gemm/predict/by_closed_form.h"
#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/sim/simulate.h"
#include "model/learn/learned.h"
#include "model/rank/effort.h"

namespace tilecast {

/// Returns the resident CTAs of a configuration.
Residency residency_of(const GpuSpec& gpu, const KernelConfig& config);

/// Whether a prediction simulates the kernel: its schedule is simulated, and the kernel is small
/// enough.
bool simulates(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// Steps of this simulation; its time is proportional to them.
double simulation_steps(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// Maximum steps of all simulations of a ranking, except those of kernels that would come first
/// without one.
double most_steps(const Effort& effort);

/// A simulated GEMM, as used by a prediction.
struct SimulatedGemm {
  Simulated kernel;
  KernelActivity activity;
  Hertz sm_clock;                               // clock at which it was simulated
  std::optional<KernelFeatures> features = {};  // if a learned correction was applied
  // timeline, if requested
  std::vector<TileSpan> tiles = {};
  GemmRequests requests = {};
};
SimulatedGemm simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                              const KernelConfig& config, Hertz sm_clock, bool watched = false);

/// Utilization of a simulated kernel that takes `cycles`; `tensor`: useful fraction of the tensor
/// cores' time.
Shares busy_shares(const GpuSpec& gpu, const Simulated& kernel, Cycles cycles, double tensor);

/// Caches a problem's simulations. Candidates that the simulator does not distinguish share one
/// (model/gemm/sim/same_simulation.h). Thread-safe.
class KnownSimulations {
 public:
  /// Simulates, or returns a cached result; arguments as for simulate_phases.
  SimulatedGemm simulate(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         Hertz sm_clock);

 private:
  struct Known {
    Epilogue epilogue;
    KernelConfig config;  // configuration from as_simulated
    Hertz sm_clock;
    SimulatedGemm simulation;
  };
  std::mutex reading_;
  std::vector<Known> known_;
};

/// Predicts a kernel that can be simulated; `analytic` is its analytic prediction. If `watch` is
/// not null it receives the underlying simulation with a timeline. `known`: null, or the problem's
/// cached simulations.
Prediction by_simulation(const GemmQuestion& question, const GemmForm& physics,
                         const Prediction& analytic, const LearnedParts& learned,
                         SimulatedGemm* watch = nullptr, KnownSimulations* known = nullptr);

/// Simulates candidates of an analytic ranking while they could be first, and re-ranks all, as
/// rank_candidates does. The `keep` fastest get individual predictions. Returns the steps
/// simulated.
double simulate_best(const GemmQuestion& question, const LearnedParts& learned,
                     const Effort& effort, std::size_t keep, KnownSimulations& known,
                     Ranking& ranking);

}  // namespace tilecast
