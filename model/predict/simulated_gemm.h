// GEMMs predicted by simulation. The clock follows the cycles and the activity of the simulation,
// the cycles follow the clock where nanoseconds matter: both are solved together
// (settled_simulation.h).
//
// Large kernels are simulated without their steady waves (model/sim/kernel/steady_waves.h).
// Checked by: simulated_gemm_test.cpp; committed rows (validate --method simulated).
#pragma once

#include <vector>

#include "model/predict/by_closed_form.h"
#include "model/predict/chip_work.h"
#include "model/predict/gemm_form.h"
#include "model/predict/learned.h"
#include "model/predict/predict.h"
#include "model/predict/settled_simulation.h"
#include "model/sim/simulate.h"

namespace tilecast {

/// CTAs of a configuration that live on the GPU at once.
Residency residency_of(const GpuSpec& gpu, const KernelConfig& config);

/// Whether a prediction simulates the kernel: there are processes for it, and it is small enough.
bool simulates(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// A GEMM as a prediction simulates it, with the phases that its clock follows; `also`: what else
/// to see of it, activity aside.
WatchedSimulation simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, Hertz sm_clock, Observers also = {});

/// All that there is to see of the simulation that a prediction is made of.
struct GemmWatch {
  SettledSimulation settled;
  Hertz sm_clock;  // that it was simulated at
  std::vector<TileSpan> tiles;
  RequestLog requests;
};

/// A candidate that can be simulated, by simulation. Null: not watched.
Prediction by_simulation(const GemmQuestion& question, const GemmCandidate& candidate,
                         const LearnedParts& learned, GemmWatch* watch = nullptr);

/// Simulates candidates, which stand in the order of the ranking, while they could be first, and
/// ranks all again, as rank_candidates.
void simulate_best(const GemmQuestion& question, const std::vector<GemmCandidate>& candidates,
                   const LearnedParts& learned, const Effort& effort, Ranking& ranking);

}  // namespace tilecast
