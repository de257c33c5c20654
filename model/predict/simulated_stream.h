// Memory-bound kernels predicted by simulation, as simulated_gemm.h does GEMMs.
//
// Not what predicts where nobody says: DRAM's losses are the closed form's, and its one queue knows
// less of a full memory than the closed form's third powers (validate/DEVIATIONS.md, The
// simulator). Checked by: simulated_stream_test.cpp; committed rows (validate --method simulated).
#pragma once

#include "model/clock/clock.h"
#include "model/predict/predict.h"
#include "model/sim/simulate.h"

namespace tilecast {

/// What a simulated kernel does, as the clock model counts it; `shared_memory` of its closed form.
ChipWork stream_work(const Simulated& kernel, Bytes shared_memory, Cycles cycles);

/// `analytic` by simulation, on a GPU that can simulate it.
Prediction simulated_prediction(const GpuSpec& gpu, const StreamProblem& problem,
                                const Prediction& analytic, Regime regime, Inputs inputs);

/// Simulates candidates of a ranking by closed form while they could be first and ranks all again.
void simulate_best_streams(const GpuSpec& gpu, const Effort& effort, Ranking& ranking);

}  // namespace tilecast
