#include "model/predict/best_per.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"

namespace tilecast {

Ranking best_per_schedule(const GpuSpec& gpu, const AnyProblem& problem,
                          std::vector<AnySchedule> schedules, Regime regime, Inputs inputs,
                          const Effort& effort) {
  if (schedules.empty()) {
    schedules = menu_schedules(gpu, op_of(problem));
  }
  // The counts include schedules without a legal candidate, as in a ranking of all candidates.
  Ranking all = rank_candidates(gpu, problem, schedules, regime, inputs, 1,
                                {.method = Method::kAnalytic, .threads = effort.threads});
  all.predictions.clear();
  for (const AnySchedule& schedule : schedules) {
    try {
      Ranking own = rank_candidates(gpu, problem, {schedule}, regime, inputs, 1, effort);
      all.simulated += own.simulated;
      all.predictions.push_back(std::move(own.predictions.front()));
    } catch (const ConfigError&) {  // no legal candidate; already counted by the first ranking
    }
  }
  std::ranges::stable_sort(all.predictions, {}, &Prediction::time);
  if (all.predictions.size() > 1 && all.simulated > 0) {
    all.next_simulated = all.predictions[1];
  }
  return all;
}

}  // namespace tilecast
