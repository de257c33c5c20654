// Input of validate, report and pages: a GPU file and measurements, joined with predictions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/file_plan.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/join.h"
#include "validate/compare/validation.h"

namespace tilecast {

struct JoinedInputOptions {
  std::string gpu = "h200_sxm";
  std::vector<std::string> data, fixed;
  bool no_calibration = false;
  bool no_correction = false;              // the calibrated model without the learned correction
  std::string split, part;                 // part of a split file to keep; all rows if empty
  std::optional<Method> method;            // default_method of the row's op if not set
  unsigned threads = 0;                    // number of threads; one per CPU if 0
  std::function<bool(const Point&)> keep;  // selects rows to join; all if empty
};

struct JoinedInput {
  LoadedGpu gpu;
  std::vector<MeasurementFile> files;  // files as read, with every part and row
  JoinedData data;
  /// For a part other than `fit`: the best fixed tiling (pick.h) on the rows that a fit may use.
  std::optional<std::string> fixed_config;
  std::string part;
};

/// Points with the largest errors that JSON lists.
constexpr std::size_t kWorstInJson = 20;

/// Reads --gpu, --data, --no-calibration and --no-correction, and for validate
/// --split, --part, --fixed and --threads.
JoinedInputOptions joined_input_options(const Arguments& args);

/// Progress for JoinOptions: counts predicted rows on standard error if that is a terminal.
std::function<void(std::size_t, std::size_t)> rows_on_terminal();

/// Returns the files that load_joined_input reads.
FilePlan files_of(const JoinedInputOptions& options);

/// While rows are simulated, shows their count on standard error if that is a terminal. Prints the
/// first reasons for rows without a prediction. Throws ConfigError if no schedule runs on the GPU
/// or no row has a prediction, and the exceptions of load_gpu, read_measurements and join_points.
JoinedInput load_joined_input(const JoinedInputOptions& options);

/// Computes the figures of validate, with the baselines that the GPU and the split allow.
/// `options`: lists to print.
Validation judge(const JoinedInput& input, ValidationOptions options);

}  // namespace tilecast
