// A calibration: constants fitted to measured GEMMs, what the rows say beyond them, and the
// files that hold both (model/spec/load_gpu.h).
// Checked by: calibrate_test.cpp (the files give the same numbers and predictions).
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_learned.h"

namespace tilecast {

struct CalibrationOptions {
  unsigned threads = 0;
  bool simulate = true;  // else what is learned of simulations is what is learned of closed forms
  bool fit_constants = true;  // else those of the GPU as it was loaded stay
  std::shared_ptr<const LearnedModel> before = nullptr;  // another calibration
  std::string prior = {};  // the GPU whose it is; empty: its lengths alone are taken
  std::function<void(const std::string& stage)> progress = [](const std::string&) {};
};

struct ScheduleResidual {
  std::string schedule;
  std::size_t rows;
  double mean_error, bias;  // of closed-form cycles
};

struct Calibration {
  std::size_t rows, left_out;
  int problems;
  ConstantFit clock;
  double cycles_error;  // mean, of closed forms
  std::vector<ScheduleResidual> by_schedule;
  LearnedFit learned;
  bool simulated;  // else learned.simulated is learned.analytic
};

/// Changes `gpu` to the calibrated one. Throws ConfigError where there is too little to fit to.
Calibration calibrate(LoadedGpu& gpu, const std::vector<MeasurementFile>& files,
                      const CalibrationOptions& options);

/// YAML of what differs from the GPU file: fitted constants, and measured ones that `gpu` was
/// loaded with in place of those of `file`; `command` made it.
std::string overlay_text(const LoadedGpu& gpu, const LoadedGpu& file,
                         const Calibration& calibration, const std::string& command);

/// For people: constants with priors and errors, residuals, what was learned.
std::string to_table(const Calibration& calibration);

}  // namespace tilecast
