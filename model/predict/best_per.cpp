#include "model/predict/best_per.h"

#include <algorithm>
#include <array>
#include <set>

#include "model/base/error.h"

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

Ranking best_per_tile(const GpuSpec& gpu, const AnyProblem& problem,
                      const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
                      std::size_t keep, Effort effort) {
  constexpr std::size_t kOfATile = 64, kMore = 4;  // rows among the fastest, about
  for (std::size_t asked = kOfATile * keep;; asked *= kMore) {
    Ranking ranking = rank_candidates(gpu, problem, schedules, regime, inputs, asked, effort);
    std::vector<Prediction>& found = ranking.predictions;
    const bool is_all = found.size() < asked;
    std::set<std::array<i32, 3>> seen;
    std::erase_if(found,
                  [&](const Prediction& p) { return !seen.insert(tile_of(p.config)).second; });
    if (is_all || found.size() >= keep) {
      found.resize(std::min(found.size(), keep));
      return ranking;
    }
  }
}

}  // namespace tilecast
