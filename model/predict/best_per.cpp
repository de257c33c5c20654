#include "model/predict/best_per.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "model/predict/predict_op.h"

namespace tilecast {
namespace {

std::array<i32, 3> tile_of(const AnyConfig& config) {
  if (const KernelConfig* gemm = std::get_if<KernelConfig>(&config)) {
    return {gemm->tiling.block_m, gemm->tiling.block_n, gemm->tiling.block_k};
  }
  const StreamConfig& stream = std::get<StreamConfig>(config);
  return {stream.block_rows, stream.block_columns, 1};
}

}  // namespace

Ranking best_per_schedule(const GpuSpec& gpu, const AnyProblem& problem,
                          std::vector<AnySchedule> schedules, Regime regime, Inputs inputs,
                          Effort effort) {
  if (schedules.empty()) {
    schedules = menu_schedules(gpu, op_of(problem));
  }
  // Counted as a ranking of all counts them, those of schedules without a legal one included.
  Ranking all = rank_candidates(gpu, problem, schedules, regime, inputs, 1,
                                {.method = Method::kAnalytic, .threads = effort.threads});
  all.predictions.clear();
  for (const AnySchedule& schedule : schedules) {
    try {
      Ranking own = rank_candidates(gpu, problem, {schedule}, regime, inputs, 1, effort);
      all.simulated += own.simulated;
      all.predictions.push_back(std::move(own.predictions.front()));
    } catch (const ConfigError&) {  // none is legal, which the first ranking has counted
    }
  }
  std::ranges::stable_sort(all.predictions, {}, &Prediction::time);
  if (all.predictions.size() > 1 && all.simulated > 0) {
    all.next_simulated = all.predictions[1];
  }
  return all;
}

void set_shortlist(const Shortlist& shortlist, Ranking& ranking) {
  std::vector<Prediction> all = std::exchange(ranking.by_tile, {});
  if (ranking.predictions.empty()) {
    return;
  }
  std::erase_if(all, [&](const Prediction& p) { return p.time < ranking.predictions[0].time; });
  all.insert(all.begin(), ranking.predictions.begin(), ranking.predictions.end());
  std::ranges::stable_sort(all, {}, &Prediction::time);
  std::set<std::pair<AnySchedule, std::array<i32, 3>>> seen;
  for (const Prediction& p : all) {
    if (shortlist.tiles > 0 && seen.insert({schedule_of(p.config), tile_of(p.config)}).second) {
      ranking.by_tile.push_back(p);
    }
  }
  if (shortlist.has_counterpart) {
    const auto found = std::ranges::find_if(all, [&](const Prediction& p) {
      return shortlist.has_counterpart(std::get<KernelConfig>(p.config));
    });
    if (found != all.end()) {
      ranking.counterpart = *found;
    }
  }
}

}  // namespace tilecast
