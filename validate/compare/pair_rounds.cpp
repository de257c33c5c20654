#include "validate/compare/pair_rounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "model/gemm/config/kernel_config_text.h"
#include "validate/compare/statistics.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

/// Rows of one configuration by round. A later row of the same round replaces an earlier one.
using Rounds = std::map<i64, Measurement>;

struct Group {
  std::vector<Point> points;  // points in order of appearance
  std::vector<Rounds> rows;
};

std::vector<Group> groups_of(const MeasurementFile& file) {
  std::map<GroupKey, std::size_t> place;
  std::vector<Group> groups;
  for (const MeasurementRow& row : file.rows) {
    const Measurement& m = row.measurement;
    if (!m.round || !is_verified(m) || !m.cycles) {
      continue;
    }
    const auto [found, is_new] = place.try_emplace(group_key(m.point), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    Group& group = groups[found->second];
    const auto known = std::find(group.points.begin(), group.points.end(), m.point);
    const auto index = static_cast<std::size_t>(known - group.points.begin());
    if (known == group.points.end()) {
      group.points.push_back(m.point);
      group.rows.emplace_back();
    }
    group.rows[index].insert_or_assign(*m.round, m);
  }
  return groups;
}

PairedConfigs::Ratio ratio_of(const Values& values) {
  return {median(values), quantile(values, 0.25), quantile(values, 0.75)};
}

}  // namespace

std::vector<PairedConfigs> pair_rounds(const MeasurementFile& file) {
  std::vector<PairedConfigs> pairs;
  for (const Group& group : groups_of(file)) {
    for (std::size_t i = 1; i < group.points.size(); ++i) {
      Values times, cycles;
      for (const auto& [round, other] : group.rows[i]) {
        const auto first = group.rows[0].find(round);
        if (first != group.rows[0].end()) {
          times.push_back(other.time->median / first->second.time->median);
          cycles.push_back(*other.cycles / *first->second.cycles);
        }
      }
      if (!times.empty()) {
        pairs.push_back({.first = group.points[0],
                         .other = group.points[i],
                         .rounds = times.size(),
                         .time = ratio_of(times),
                         .cycles = ratio_of(cycles)});
      }
    }
  }
  return pairs;
}

std::string to_text(const PairedConfigs& pair) {
  const auto ratio = [](const PairedConfigs::Ratio& r) {
    return fmt::format("{:.4f} ({:.4f} to {:.4f})", r.median, r.q1, r.q3);
  };
  const Point& point = pair.first;
  return fmt::format("{} {}: {} / {}: time {}, cycles {} in {} rounds", to_text(point.problem),
                     to_text(point.regime), pair.other.config, pair.first.config, ratio(pair.time),
                     ratio(pair.cycles), pair.rounds);
}

}  // namespace tilecast
