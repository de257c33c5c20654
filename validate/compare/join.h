// Lays predictions beside verified rows (validate/record/verified_rows.h) by configuration text.
// Reports, records and picks come from here; what lays its own numbers beside the same rows, as
// fits do, takes them and their groups from the same place.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/rank/prediction.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

/// Throws ConfigError where it cannot predict that configuration. Called on several threads.
using Predictor = std::function<Prediction(const AnyProblem&, const AnyConfig&, Regime, Inputs)>;

struct JoinedPoint {
  Measurement measured;
  Prediction predicted;

  Seconds measured_time() const { return measured.time->median; }
};

/// What is compared with each other: one problem under one regime.
struct JoinedGroup {
  AnyProblem problem;
  Regime regime = Regime::kBurst;
  Inputs inputs = Inputs::kNormal;
  L2State l2_state = L2State::kRotating;
  std::vector<JoinedPoint> points;                          // by configuration text
  std::optional<Measurement> cublaslt_top1, cublaslt_best;  // where measured and right
  std::optional<Measurement> runtime_copy;
  std::vector<Measurement> fixed;  // of JoinOptions::fixed

  /// Of the points; there must be one.
  Seconds best_measured_time() const;
};

struct JoinedData {
  std::vector<JoinedGroup> groups;  // in the order of GroupKey; some may have no points
  std::size_t rows = 0;
  std::size_t points = 0;
  std::size_t cublaslt = 0;   // baseline rows, the runtime's copies too
  std::size_t unmatched = 0;  // verified rows without a prediction
  std::size_t excluded = 0;   // status not ok, or not verified
  std::size_t repeated = 0;   // a later verified row of the same point replaced this one
  std::vector<std::string> unmatched_reasons;  // file:line: why, each row
};

struct JoinOptions {
  unsigned threads = 0;                     // 0: one for each processor
  std::vector<MeasurementFile> fixed = {};  // of another card perhaps: a baseline, not ranked
  /// Told how many of all rows have been predicted, by one thread at a time.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
};

/// `gpu_names`: what the column gpu may hold. Throws ConfigError `file:line: gpu: ...` for a row of
/// another GPU, and where there are no rows at all.
JoinedData join_points(const std::vector<MeasurementFile>& files, const Predictor& predict,
                       const std::vector<std::string>& gpu_names, const JoinOptions& options = {});

}  // namespace tilecast
