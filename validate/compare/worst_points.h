// The points with the largest errors, for inspection.
//
// Checked by: worst_points_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/join.h"

namespace tilecast {

/// The main cause of a time error. log(predicted / measured) time is the error of the cycles minus
/// that of the clock; the cause is the larger term with the sign of the sum.
enum class OffPart { kCycles, kClock, kUnknown };

std::string_view to_text(OffPart part);

struct WorstPoint {
  AnyProblem problem;
  Point point;  // regime, inputs, L2 state and configuration
  Seconds measured, predicted;
  std::optional<double> cycles_error, clock_error;  // the predicted bottleneck
  Limiter limiter;                                  // as predicted
  OffPart off;                                      // unknown if cycles or clock were not measured

  double time_error() const { return predicted / measured - 1; }
};

OffPart off_part(const JoinedPoint& point);

/// Returns the points sorted by |log(predicted / measured time)|, largest first. Ties keep the
/// order of the data.
std::vector<WorstPoint> worst_points(const JoinedData& data, std::size_t count);

nlohmann::ordered_json to_json(const std::vector<WorstPoint>& points);

/// The text is at most 80 columns wide; a long configuration is wrapped after a comma.
std::string to_table(const std::vector<WorstPoint>& points);

}  // namespace tilecast
