#include "model/predict/simulated_ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "model/base/parallel.h"
#include "model/predict/retime.h"

namespace tilecast {
void rank_simulated(const std::vector<SharedSimulation>& chosen, unsigned threads,
                    const std::function<Prediction(const Prediction&)>& simulate,
                    Ranking& ranking) {
  if (chosen.empty()) {
    return;
  }
  std::vector<Prediction>& all = ranking.predictions;
  // The longest first, so that no thread is left with one at the end.
  std::vector<std::size_t> order(chosen.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>{},
                           [&](std::size_t i) { return chosen[i].length; });
  std::vector<Prediction> simulated(chosen.size());
  parallel_for(chosen.size(), threads, [&](std::size_t i) {
    simulated[order[i]] = simulate(all[chosen[order[i]].candidates.front()]);
  });
  double log_scale = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    log_scale += std::log(simulated[i].time / all[chosen[i].candidates.front()].time);
  }
  ranking.closed_form_scale = std::exp(log_scale / static_cast<double>(chosen.size()));
  ranking.simulated = static_cast<int>(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const std::size_t candidate : chosen[i].candidates) {
      const AnyConfig config = all[candidate].config;
      all[candidate] = simulated[i];
      all[candidate].config = config;
    }
  }
  for (Prediction& p : all) {
    if (p.method == Method::kAnalytic) {
      stretch(ranking.closed_form_scale, p);
    }
  }
  std::ranges::stable_sort(all, {}, &Prediction::time);
}

}  // namespace tilecast
