// The points with the largest errors and the worst picks, for inspection.
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

/// The kernel with the lowest predicted time in a group, and the fastest one measured.
struct WorstPick {
  WorstPoint picked, best;

  double ratio() const { return best.measured / picked.measured; }
};

/// Returns the picks in ascending order of their ratio. Ties keep the order of the data.
std::vector<WorstPick> worst_picks(const JoinedData& data, std::size_t count);

nlohmann::ordered_json to_json(const std::vector<WorstPoint>& points);
nlohmann::ordered_json to_json(const std::vector<WorstPick>& picks);

/// The text is at most 80 columns wide; a long configuration is wrapped after a comma.
std::string to_table(const std::vector<WorstPoint>& points);
std::string to_table(const std::vector<WorstPick>& picks);

}  // namespace tilecast
