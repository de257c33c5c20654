// Calibration: fits constants to measured GEMMs, trains the learned correction on the residuals,
// and writes the files that hold both (model/spec/load_gpu.h).
// Checked by: calibrate_test.cpp (the files give the same numbers and predictions).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_learned.h"

namespace tilecast {

struct CalibrationOptions {
  unsigned threads = 0;
  bool simulate = true;       // if false, simulations use the correction of the analytic model
  bool fit_constants = true;  // if false, the constants of the loaded GPU are kept
  std::shared_ptr<const LearnedModel> before = nullptr;  // another GPU's calibration, as a prior
  std::string prior = {};                                // that GPU
  std::function<void(const std::string& stage)> progress = [](const std::string&) {};
};

struct ScheduleResidual {
  std::string schedule;
  std::size_t rows;
  double mean_error, bias;  // errors of analytic cycles
};

struct Calibration {
  std::size_t rows, left_out;
  int problems;
  ConstantFit constants;  // of cycles, then of the clock
  double cycles_error;    // mean error of the analytic model's cycles, before the correction
  std::vector<ScheduleResidual> by_schedule;
  LearnedFit learned;
  bool simulated;  // if false, learned.simulated equals learned.analytic
};

/// Changes `gpu` to the calibrated one. Throws ConfigError if there are too few rows.
Calibration calibrate(LoadedGpu& gpu, const std::vector<MeasurementFile>& files,
                      const CalibrationOptions& options);

/// Returns the overlay as YAML: the fitted constants, and the measured constants that differ
/// between `gpu` and `file`. `command` is recorded as its origin.
std::string overlay_text(const LoadedGpu& gpu, const LoadedGpu& file,
                         const Calibration& calibration, const std::string& command);

/// Formats a table of constants with priors and errors, residuals, and the learned correction.
std::string to_table(const Calibration& calibration);

}  // namespace tilecast
