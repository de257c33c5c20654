#include "validate/record/point_group.h"

#include <algorithm>

namespace tilecast {

GroupKey group_key(const Point& point) {
  return {op_of(point.problem), sides_of(point.problem), to_text(point.problem), point.regime,
          point.inputs,         point.l2_state};
}

void BestTimes::note(const GroupKey& group, Seconds time) {
  Seconds& best = best_.try_emplace(group, time).first->second;
  best = std::min(best, time);
}

bool BestTimes::is_near(const GroupKey& group, Seconds time) const {
  return is_near_best(time, best_.at(group));
}

}  // namespace tilecast
