// Relative errors of one point: predicted / measured - 1; std::nullopt if the row lacks the value.
#pragma once

#include <optional>

#include "validate/compare/join.h"
#include "validate/record/point_group.h"

namespace tilecast {

/// Whether the point is within 20 % of the group's best measured time.
inline bool is_near_best(const JoinedGroup& group, const JoinedPoint& point) {
  return is_near_best(point.measured_time(), group.best_measured_time());
}

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
