#include "model/predict/simulated_ranking.h"

#include <algorithm>
#include <cmath>

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
  std::vector<Prediction> simulated(chosen.size());
  parallel_for(chosen.size(), threads,
               [&](std::size_t i) { simulated[i] = simulate(all[chosen[i].front()]); });
  double log_scale = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    log_scale += std::log(simulated[i].time / all[chosen[i].front()].time);
  }
  ranking.closed_form_scale = std::exp(log_scale / static_cast<double>(chosen.size()));
  ranking.simulated = static_cast<int>(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const std::size_t candidate : chosen[i]) {
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
