#include "model/rank/shortlist.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "model/rank/objective.h"

namespace tilecast {

void set_shortlist(const Shortlist& shortlist, Ranking& ranking) {
  std::vector<Prediction> all = std::exchange(ranking.by_tile, {});
  if (ranking.predictions.empty()) {
    return;
  }
  const Preference order(ranking, ranking.predictions);
  const auto first = order(ranking.predictions[0]);
  std::erase_if(all, [&](const Prediction& p) { return order(p) < first; });
  all.insert(all.begin(), ranking.predictions.begin(), ranking.predictions.end());
  std::ranges::stable_sort(all, {}, order);
  std::set<std::pair<AnySchedule, std::array<i32, 3>>> seen;
  for (const Prediction& p : all) {
    if (shortlist.tiles > 0 && seen.insert({schedule_of(p.config), tile_of(p.config)}).second) {
      ranking.by_tile.push_back(p);
    }
  }
  set_counterpart(shortlist, all, ranking);
}

void set_counterpart(const Shortlist& shortlist, const std::vector<Prediction>& sorted,
                     Ranking& ranking) {
  if (!shortlist.has_counterpart) {
    return;
  }
  const Preference order(ranking, ranking.predictions);
  const auto found = std::ranges::find_if(
      sorted, [&](const Prediction& p) { return shortlist.has_counterpart(p.config); });
  if (found != sorted.end() &&
      (!ranking.counterpart || order(*found) < order(*ranking.counterpart))) {
    ranking.counterpart = *found;
  }
}

std::vector<std::size_t> table_rows(const std::vector<Prediction>& by_tile, std::size_t most,
                                    const ComparedKernels& compared) {
  constexpr double kWorthAShow = 1.5;
  most = std::min(most, by_tile.size());
  std::set<std::size_t> rows;
  for (const auto& is_wanted : compared) {
    const auto found = std::ranges::find_if(by_tile, is_wanted);
    if (most > 1 && found != by_tile.end() && found->time < by_tile.front().time * kWorthAShow) {
      rows.insert(static_cast<std::size_t>(found - by_tile.begin()));
    }
  }
  std::size_t leading = most;
  const auto others = [&] {
    return static_cast<std::size_t>(std::distance(rows.lower_bound(leading), rows.end()));
  };
  while (leading > 1 && leading + others() > most) {
    --leading;
  }
  for (std::size_t i = 0; i < leading; ++i) {
    rows.insert(i);
  }
  return {rows.begin(), rows.end()};
}

}  // namespace tilecast
