// Measured rows with the features and residuals of the analytic model or of simulation.
//
// Cycles are compared at the measured clock, and the clock at the measured cycles, so that each
// correction is independent of the other's error. Checked by: fit_learned_test.cpp.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "model/gemm/predict/kernel_features.h"
#include "model/rank/settled_clock.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// A row's kernel, simulated at the predicted clock as in a prediction: at the measured clock, its
/// features would leak that clock. Uses the constants from before the fit.
struct SimulatedRow {
  KernelActivity activity;  // elapsed is 0 if it cannot be simulated
  SimulatedWork work;
  Hertz sm_clock;
};

/// Features and residuals of the rows for one method.
struct SeenRows {
  std::vector<KernelFeatures> features;
  Eigen::VectorXd cycles_off, clock_off;  // log ratio of measured to uncorrected
  std::function<Settled<Cycles>(std::size_t, double)>
      corrected;  // returns a row's cycles and clock after its cycles were multiplied by
                  // exp(correction)
};

/// `simulated`: one entry per row, or empty. Keeps references to its arguments.
SeenRows see_rows(const GpuSpec& gpu, const FitRows& rows,
                  const std::vector<SimulatedRow>& simulated, unsigned threads);

std::vector<SimulatedRow> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                        const std::function<void(std::size_t)>& progress);

}  // namespace tilecast
