#include "model/predict/rank_draws.h"

#include <algorithm>
#include <map>
#include <utility>

#include "model/base/parallel.h"
#include "model/gemm/predict/simulated_gemm.h"
#include "model/predict/best_per.h"
#include "model/rank/objective.h"
#include "model/rank/retime.h"
#include "model/rank/shortlist.h"
#include "model/rank/simulated_ranking.h"

namespace tilecast {
namespace {

constexpr std::size_t kFastestOfDraw = 16;  // number of candidates for the lowest mean

/// Returns the mean of the numbers; strings come from the first prediction.
Prediction mean_of(const std::vector<Prediction>& all) {
  const double share = 1.0 / static_cast<double>(all.size());
  const auto mean = [&](const auto& value) {
    auto sum = value(all.front()) * 0.0;
    for (const Prediction& p : all) {
      sum = sum + value(p) * share;
    }
    return sum;
  };
  Prediction p = all.front();
  p.time = mean([](const Prediction& one) { return one.time; });
  p.closed_form_time = mean([](const Prediction& one) { return one.closed_form_time; });
  p.interval_low = mean([](const Prediction& one) { return one.interval_low; });
  p.interval_high = mean([](const Prediction& one) { return one.interval_high; });
  p.cycles = mean([](const Prediction& one) { return one.cycles; });
  p.sm_clock = {p.cycles.value / p.time.value};
  p.tflops *= all.front().time / p.time;  // every routing has the same work
  p.power = mean([](const Prediction& one) { return one.power; });
  p.l2_to_sm = mean([](const Prediction& one) { return one.l2_to_sm; });
  p.dram_read = mean([](const Prediction& one) { return one.dram_read; });
  p.dram_write = mean([](const Prediction& one) { return one.dram_write; });
  p.l2_hit_rate = hit_rate(p.dram_read, p.l2_to_sm);
  p.clamped.clear();
  for (const Prediction& one : all) {
    p.clamped.insert(p.clamped.end(), one.clamped.begin(), one.clamped.end());
  }
  for (const Prediction& one : all) {
    p.of_draws.push_back(one.time / p.time);
  }
  return p;
}

}  // namespace

Ranking rank_draws(const GpuSpec& gpu, const std::vector<GemmProblem>& draws,
                   const std::vector<AnySchedule>& schedules,
                   const std::optional<ConfigPattern>& pattern, Regime regime, Inputs inputs,
                   std::size_t keep, const Effort& effort) {
  keep = std::max(keep, kFastestOfDraw);
  const Effort closed{.method = Method::kAnalytic, .threads = 1};
  std::vector<Ranking> rankings(draws.size());
  parallel_for(draws.size(), effort.threads, [&](std::size_t i) {
    rankings[i] = pattern ? rank_matching(gpu, draws[i], *pattern, regime, inputs, keep, closed)
                          : rank_candidates(gpu, draws[i], schedules, regime, inputs, keep, closed);
  });
  std::vector<AnyConfig> configs;
  const auto add = [&](const std::vector<Prediction>& fastest) {
    for (const Prediction& p : fastest) {
      if (std::ranges::find(configs, p.config) == configs.end()) {
        configs.push_back(p.config);
      }
    }
  };
  std::ranges::for_each(rankings, [&](const Ranking& r) { add(r.predictions); });
  Ranking ranking = std::move(rankings.front());
  if (!pattern) {
    add(best_per_schedule(gpu, draws.front(), schedules, regime, inputs, closed).predictions);
  }

  ranking.predictions.resize(configs.size());
  parallel_for(configs.size(), effort.threads, [&](std::size_t i) {
    std::vector<Prediction> of_draws;
    for (const GemmProblem& draw : draws) {
      of_draws.push_back(predict_config(gpu, draw, configs[i], regime, inputs, Method::kAnalytic));
    }
    ranking.predictions[i] = mean_of(of_draws);
  });
  std::ranges::stable_sort(ranking.predictions, {}, &Prediction::time);
  ranking.objective = effort.objective;
  std::vector<std::pair<double, std::size_t>> by_time;
  for (const double time : ranking.predictions.front().of_draws) {
    by_time.emplace_back(time, by_time.size());
  }
  std::ranges::sort(by_time);
  const std::size_t median = by_time[by_time.size() / 2].second;
  ranking.problem = draws[median];
  if (effort.method.value_or(default_method(Op::kGemm)) != Method::kSimulated) {
    std::ranges::stable_sort(ranking.predictions, {}, Preference(ranking, ranking.predictions));
    set_shortlist(effort.shortlist, ranking);
    return ranking;
  }

  const std::vector<Prediction>& candidates = ranking.predictions;
  const auto nominate = [&](std::size_t i) -> std::optional<SharedSimulation> {
    const GemmProblem& draw = draws[median];
    const KernelConfig config =
        for_operands(draw.dtype, std::get<KernelConfig>(candidates[i].config));
    return simulates(gpu, draw, config) ? std::optional(SharedSimulation{.candidates = {i}})
                                        : std::nullopt;
  };
  const auto simulate = [&](std::size_t i) {
    Prediction p = predict_config(gpu, draws[median], candidates[i].config, regime, inputs,
                                  Method::kSimulated);
    const double low = p.interval_low / p.time, high = p.interval_high / p.time;
    p.of_draws = candidates[i].of_draws;
    p.closed_form_time = candidates[i].closed_form_time;
    stretch(1 / p.of_draws[median], p);
    set_interval(low, high, p);
    return p;
  };
  std::vector<SharedSimulation> nominees;
  std::map<AnySchedule, std::size_t> nominated;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    std::optional<SharedSimulation> own = nominate(i);
    if (own && nominated[schedule_of(candidates[i].config)]++ < effort.simulations.value_or(1)) {
      nominees.push_back(*std::move(own));
    }
  }
  rank_simulated(std::move(nominees), effort.threads, nominate, simulate, ranking);
  set_shortlist(effort.shortlist, ranking);
  return ranking;
}

}  // namespace tilecast
