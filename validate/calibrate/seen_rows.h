// Measured rows as closed forms or simulations see them: features, and what physics leaves.
//
// Cycles are compared at the measured clock, the clock at the measured cycles, so that what is
// learned of one is free of what the other is off. Checked by: fit_learned_test.cpp.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "model/gemm/predict/kernel_features.h"
#include "model/rank/settled_clock.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// A row's kernel simulated at the clock where physics settles, as a prediction simulates it: at
/// the measured one its features would give that clock away. Of the constants before a fit.
struct SimulatedRow {
  KernelActivity activity;  // elapsed is 0 where it cannot be simulated
  SimulatedWork work;
  Hertz sm_clock;
};

/// Rows as one method sees them.
struct SeenRows {
  std::vector<KernelFeatures> features;
  Eigen::VectorXd cycles_off, clock_off;  // logarithms of measured over physics
  std::function<Settled<Cycles>(std::size_t, double)> corrected;  // of a row, its cycles by so much
};

/// `simulated`: each row; empty where nothing is. Refers to what it is given.
SeenRows see_rows(const GpuSpec& gpu, const FitRows& rows,
                  const std::vector<SimulatedRow>& simulated, unsigned threads);

std::vector<SimulatedRow> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                        const std::function<void(std::size_t)>& progress);

}  // namespace tilecast
