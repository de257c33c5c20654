#include "reports/config_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/quantities.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

Values gains_of(const std::vector<ConfigPair>& pairs) {
  Values gains;
  for (const ConfigPair& pair : pairs) {
    gains.push_back(pair.gain());
  }
  return gains;
}

}  // namespace

std::vector<ConfigPair> config_pairs(const ReportInput& input, const Changes& changes) {
  std::vector<ConfigPair> pairs;
  for (const JoinedGroup& group : input.pool.groups) {
    if (group.inputs != Inputs::kNormal || group.l2_state == L2State::kFlushed) {
      continue;
    }
    std::map<std::string, const JoinedPoint*> by_config;
    for (const JoinedPoint& point : group.points) {
      by_config[point.measured.point.config] = &point;
    }
    for (const JoinedPoint& point : group.points) {
      for (const AnyConfig& other : changes(point.predicted.config)) {
        if (const auto found = by_config.find(to_text(other)); found != by_config.end()) {
          pairs.push_back({&group, &point, found->second});
        }
      }
    }
  }
  return pairs;
}

double median_gain(const std::vector<ConfigPair>& pairs) { return median(gains_of(pairs)); }

const ConfigPair& most_gain(const std::vector<ConfigPair>& pairs) {
  return *std::max_element(
      pairs.begin(), pairs.end(),
      [](const ConfigPair& a, const ConfigPair& b) { return a.gain() < b.gain(); });
}

std::string gain_text(const std::vector<ConfigPair>& pairs) {
  const Values gains = gains_of(pairs);
  const auto [least, most] = std::minmax_element(gains.begin(), gains.end());
  return pairs.size() == 1
             ? fmt::format("{} in one pair", number_text(gains.front(), 4))
             : fmt::format("{} in the median of {} pairs ({} to {})", number_text(median(gains), 4),
                           pairs.size(), number_text(*least, 3), number_text(*most, 3));
}

}  // namespace tilecast
