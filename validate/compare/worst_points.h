// The points that the model is furthest from, so that each can be looked at and explained.
//
// Checked by: worst_points_test.cpp.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "validate/compare/join.h"

namespace tilecast {

/// Which part of a prediction pushed its time off: of log(predicted / measured) time, which is that
/// of cycles less that of the clock, the summand that is larger in the sum's direction.
enum class OffPart { kCycles, kClock, kUnknown };

std::string_view to_text(OffPart part);

struct WorstPoint {
  AnyProblem problem;
  Point point;  // regime, inputs, L2 state and configuration
  Seconds measured, predicted;
  std::optional<double> cycles_error, clock_error;  // relative; where they were measured
  Limiter limiter;                                  // as predicted
  OffPart off;  // unknown where cycles or clock were not measured

  double time_error() const { return predicted / measured - 1; }
};

OffPart off_part(const JoinedPoint& point);

/// By |log(predicted / measured time)|, largest first; equal ones in the order of the data.
std::vector<WorstPoint> worst_points(const JoinedData& data, std::size_t count);

nlohmann::ordered_json to_json(const std::vector<WorstPoint>& points);

/// At most 80 columns wide; a long configuration goes on in the next line behind one of its commas.
std::string to_table(const std::vector<WorstPoint>& points);

}  // namespace tilecast
