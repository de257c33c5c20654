// Joins predictions and verified rows (validate/record/verified_rows.h) by configuration string,
// for reports, records and picks. Fits need only the rows; they use the same rows and groups.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/rank/prediction.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"

namespace tilecast {

/// Must be thread-safe. Throws ConfigError for a configuration that it cannot predict.
using Predictor = std::function<Prediction(const AnyProblem&, const AnyConfig&, Regime, Inputs)>;

struct JoinedPoint {
  Measurement measured;
  Prediction predicted;

  Seconds measured_time() const { return measured.time->median; }
};

/// Points that can be compared with each other: one problem under one regime.
struct JoinedGroup {
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  L2State l2_state = L2State::kRotating;
  std::vector<JoinedPoint> points;  // in order of configuration text
  // Measurements of baselines, by configuration (kBaselines).
  std::map<std::string, Measurement, std::less<>> baselines;
  // Measurements from JoinOptions::fixed.
  std::vector<Measurement> fixed;

  /// Returns null if the baseline was not measured or not verified.
  const Measurement* baseline(std::string_view config) const;
  /// Requires at least one point.
  Seconds best_measured_time() const;
};

struct JoinedData {
  std::vector<JoinedGroup> groups;  // in the order of GroupKey; a group may have no points
  std::size_t rows = 0;
  std::size_t points = 0;
  std::size_t cublaslt = 0;   // rows of baselines
  std::size_t unmatched = 0;  // verified rows without a prediction
  // Number of rows whose status is not ok, or that are not verified.
  std::size_t excluded = 0;
  // Number of rows that a later verified row of the same point replaces.
  std::size_t repeated = 0;
  std::vector<std::string> unmatched_reasons;  // one "file:line: reason" for each row
};

struct JoinOptions {
  unsigned threads = 0;  // number of threads; one per CPU if 0
  // Rows, possibly of another GPU, that are used only as a baseline.
  std::vector<MeasurementFile> fixed = {};
  /// Called with the number of rows predicted so far, by one thread at a time.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// Predicts and groups the rows. `gpu_names`: allowed values of column gpu. Throws ConfigError
/// `file:line: gpu: ...` for a row of another GPU, and ConfigError if there are no rows.
JoinedData join_points(const std::vector<MeasurementFile>& files, const Predictor& predict,
                       const std::vector<std::string>& gpu_names, const JoinOptions& options = {});

/// Whether the point is within 20 % of the group's best measured time.
inline bool is_near_best(const JoinedGroup& group, const JoinedPoint& point) {
  return is_near_best(point.measured_time(), group.best_measured_time());
}

/// Relative errors, predicted / measured - 1; std::nullopt if the row lacks the value.
inline double time_error(const JoinedPoint& point) {
  return point.predicted.time / point.measured_time() - 1;
}

inline std::optional<double> cycles_error(const JoinedPoint& point) {
  const std::optional<Cycles>& measured = point.measured.cycles;
  return measured ? std::optional(point.predicted.cycles / *measured - 1) : std::nullopt;
}

inline std::optional<double> clock_error(const JoinedPoint& point) {
  const std::optional<Hertz>& measured = point.measured.sm_clock;
  return measured ? std::optional(point.predicted.sm_clock / *measured - 1) : std::nullopt;
}

/// Whether the measured time is inside the predicted interval.
inline bool inside_interval(const JoinedPoint& point) {
  return point.predicted.interval_low <= point.measured_time() &&
         point.measured_time() <= point.predicted.interval_high;
}

}  // namespace tilecast
