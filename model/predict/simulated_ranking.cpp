#include "model/predict/simulated_ranking.h"

#include <algorithm>
#include <cmath>

#include "model/base/parallel.h"

namespace tilecast {
namespace {

/// The same prediction if everything took `factor` times as long.
void stretch(Prediction& p, double factor) {
  p.cycles = p.cycles * factor;
  p.time = p.time * factor;
  p.interval_low = p.interval_low * factor;
  p.interval_high = p.interval_high * factor;
  p.tflops /= factor;
  for (double* share : {&p.shares.tensor, &p.shares.shared_memory, &p.shares.l2, &p.shares.dram}) {
    *share = std::min(1.0, *share / factor);
  }
}

}  // namespace

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
      stretch(p, ranking.closed_form_scale);
    }
  }
  std::ranges::stable_sort(all, {}, &Prediction::time);
}

}  // namespace tilecast
