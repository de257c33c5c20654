// GEMMs predicted by simulation. The clock follows the cycles and the activity of the simulation,
// the cycles follow the clock where nanoseconds matter: both are solved together. A simulation at
// one clock is moved to others as the closed form moves, which settles the clock; where that is far
// from the simulated one and nothing was learned, the kernel is simulated again there. What was
// learned is of simulations where the closed form settles, and corrects those.
//
// Large kernels are simulated without their steady waves (model/gemm/sim/kernel/steady_waves.h).
// Checked by: simulated_gemm_test.cpp; committed rows (validate --method simulated).
#pragma once

#include <cstddef>
#include <mutex>
#include <vector>

#include "model/gemm/predict/by_closed_form.h"
#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/sim/simulate.h"
#include "model/learn/learned.h"
#include "model/predict/predict.h"

namespace tilecast {

/// CTAs of a configuration that live on the GPU at once.
Residency residency_of(const GpuSpec& gpu, const KernelConfig& config);

/// Whether a prediction simulates the kernel: there are processes for it, and it is small enough.
bool simulates(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// A GEMM as a prediction simulates it.
struct SimulatedGemm {
  Simulated kernel;
  KernelActivity activity;
  Hertz sm_clock;  // that it was simulated at
  // Of one that is watched.
  std::vector<TileSpan> tiles = {};
  GemmRequests requests = {};
};
SimulatedGemm simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                              const KernelConfig& config, Hertz sm_clock, bool watched = false);

/// Of a simulated kernel that takes so many cycles; `tensor`: the tensor cores' own FLOPs.
Shares busy_shares(const GpuSpec& gpu, const Simulated& kernel, Cycles cycles, double tensor);

/// Simulations of one problem that were run, for other candidates that the simulator gives the same
/// answer for (model/gemm/sim/same_simulation.h). From any thread.
class KnownSimulations {
 public:
  /// As simulate_phases.
  SimulatedGemm simulate(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         Hertz sm_clock);

 private:
  struct Known {
    Epilogue epilogue;
    KernelConfig config;  // as_simulated
    Hertz sm_clock;
    SimulatedGemm simulation;
  };
  std::mutex reading_;
  std::vector<Known> known_;
};

/// A kernel that can be simulated, by simulation; `analytic`: by closed form. `watch`, if not null,
/// becomes the simulation that the prediction is made of, watched. `known`: null, or what other
/// kernels of the problem were simulated for.
Prediction by_simulation(const GemmQuestion& question, const GemmForm& physics,
                         const Prediction& analytic, const LearnedParts& learned,
                         SimulatedGemm* watch = nullptr, KnownSimulations* known = nullptr);

/// Simulates candidates of a ranking by closed form while they could be first, and ranks all again,
/// as rank_candidates; the `keep` fastest have the answers that they have alone.
void simulate_best(const GemmQuestion& question, const LearnedParts& learned, const Effort& effort,
                   std::size_t keep, Ranking& ranking);

}  // namespace tilecast
