// A ranking by closed form of which the best are simulated, and all of it ranked anew: simulated
// ones by their simulated time, others by their closed form's times what simulation adds on average
// to those that have both.
// Checked by: simulated_gemm_test.cpp, simulated_stream_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// Candidates of a ranking, by place, that one simulation stands for; the first of them is
/// simulated. Longer ones start earlier; in any unit.
struct SharedSimulation {
  std::vector<std::size_t> candidates;
  double length = 0;
};

/// `simulate` turns a prediction by closed form into a simulated one; called on several threads.
void rank_simulated(const std::vector<SharedSimulation>& chosen, unsigned threads,
                    const std::function<Prediction(const Prediction&)>& simulate, Ranking& ranking);

}  // namespace tilecast
