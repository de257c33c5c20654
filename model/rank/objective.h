// The order of a ranking: by time, or with the least energy first among the kernels whose times are
// too close to the fastest one's to call (order_confidence.h), and then by time. Only kernels
// predicted by the same method as the fastest compete for the least energy: an estimate must not
// displace a simulation. Checked by: objective_test.cpp.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "model/rank/prediction.h"

namespace tilecast {

std::string_view to_text(Objective objective);
/// Parses an objective. Throws a ConfigError that lists the known words.
Objective parse_objective(std::string_view text);

/// Energy of one launch: mean power over its time, including static power.
inline Joules energy_of(const Prediction& p) { return Joules{p.power.value * p.time.value}; }

/// Sort key of a kernel in `ranking`. The fastest kernel of the ranking is in `all`, which is not
/// empty.
class Preference {
 public:
  Preference(const Ranking& ranking, const std::vector<Prediction>& all);
  std::pair<bool, double> operator()(const Prediction& p) const;

 private:
  Objective objective_;
  Regime regime_;
  Seconds fastest_;
  Method method_;
};

}  // namespace tilecast
