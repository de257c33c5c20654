// Re-ranks an analytic ranking after simulating its most promising candidates. Simulated candidates
// rank by simulated time, the others by analytic time scaled by the mean ratio of their schedule
// and tile, or of their schedule, or of all, if theirs has no simulation.
//
// Nominees are simulated as long as they could be first: the best of each schedule to learn its
// ratio, then all that come close to the fastest so far. Other schedules can only reduce how much
// of a schedule is simulated, by ruling it out; so the winner of a ranking of one schedule is never
// faster than the overall winner.
//
// Candidates that share a simulation may differ in their learned correction. The reported ones are
// simulated individually at the end, so each gets the prediction that it has when it is ranked
// alone.
//
// A candidate that was not nominated may come first by its schedule's ratio. Then it is nominated,
// until the first candidate is a simulated one. Checked by: simulated_ranking_test.cpp,
// tests/random.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "model/rank/effort.h"

namespace tilecast {

/// Candidates, by index in the ranking, that share a simulation; the first is the one simulated.
/// Longer simulations start earlier; `length` is in any unit.
struct SharedSimulation {
  std::vector<std::size_t> candidates;
  double length = 0;
};

/// `nominees`: by schedule, most promising first. `nominate` returns the simulation for a candidate
/// without one, if it can be simulated. `simulate` predicts the candidate at an index,
/// from several threads. The `keep` fastest get individual predictions. Nominees that would exceed
/// a total of `most_length` are simulated only if they come first by that ratio. Returns the total.
double rank_simulated(std::vector<SharedSimulation> nominees, unsigned threads,
                      const std::function<std::optional<SharedSimulation>(std::size_t)>& nominate,
                      const std::function<Prediction(std::size_t)>& simulate, Ranking& ranking,
                      std::size_t keep = 0,
                      double most_length = std::numeric_limits<double>::infinity());

}  // namespace tilecast
