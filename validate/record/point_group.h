// Groups of comparable measurements: one problem, measured under one set of conditions. Checked by:
// point_group_test.cpp.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>

#include "validate/record/measurement.h"

namespace tilecast {

/// Rows with equal keys may be compared. Ordered by problem, regime, inputs, L2 state.
using GroupKey = std::tuple<Op, std::array<i64, 3>, std::string, Regime, Inputs, L2State>;

/// Key of all fields of a point except the configuration.
GroupKey group_key(const Point& point);

/// Whether a time is within 20 % of the group's best time.
inline bool is_near_best(Seconds time, Seconds best) {
  constexpr double kNearBest = 1.2;
  return time <= best * kNearBest;
}

/// Best time of each group.
class BestTimes {
 public:
  void note(const GroupKey& group, Seconds time);
  /// `note` must have been called for the group.
  bool is_near(const GroupKey& group, Seconds time) const;

 private:
  std::map<GroupKey, Seconds> best_;
};

}  // namespace tilecast
