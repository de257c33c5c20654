// A ranking by closed form of which some are simulated, and all of it ranked again: simulated ones
// by their simulated time, others by their closed form's times what simulation adds on average to
// those of their schedule that have both, or to all where none of them has.
//
// Nominees are simulated while they could be first: first the best of each schedule, which tells
// what simulation adds there; then whatever, with that, comes near the fastest so far. So what is
// simulated of one schedule depends on others only in that they may show it to be too slow, and the
// first of a ranking of that schedule alone is not faster than the first of all.
//
// Candidates that share a simulation need not have one answer: what was learned may tell them
// apart. Those that are shown are simulated by themselves in the end, so that each has the answer
// that it has alone.
//
// A candidate that was not nominated may come first in the end, by the mean of its schedule: it is
// nominated late, until what comes first is simulated.
// Checked by: simulated_ranking_test.cpp, tests/random.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// Candidates of a ranking, by place, that one simulation stands for; the first of them is
/// simulated. Longer ones start earlier; in any unit.
struct SharedSimulation {
  std::vector<std::size_t> candidates;
  double length = 0;
};

/// `nominees` of each schedule in the order of promise. `nominate` gives the simulation of the
/// candidate at a place that is none of theirs; none where it cannot be simulated. `simulate`
/// predicts the candidate at a place; called on several threads. The `keep` fastest are predicted
/// each at its own place.
void rank_simulated(std::vector<SharedSimulation> nominees, unsigned threads,
                    const std::function<std::optional<SharedSimulation>(std::size_t)>& nominate,
                    const std::function<Prediction(std::size_t)>& simulate, Ranking& ranking,
                    std::size_t keep = 0);

}  // namespace tilecast
