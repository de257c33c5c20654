// Ranks configurations for rows of groups that are known as a distribution alone: by the mean time
// over draws of them (routing.h), since one configuration has to serve all.
//
// The fastest of each draw by closed form are predicted for every draw. Of each schedule the best
// are simulated for one draw, the one whose time is the median; what simulation adds there, it is
// taken to add to all. The interval is the model's error of the mean, not what draws differ by.
// Checked by: rank_draws_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// As rank_matching where there is a pattern, else as rank_candidates; of as many rows all. The
/// ranking's problem is the first draw, its counts are of that one, and of its predictions each has
/// `of_draws`.
Ranking rank_draws(const GpuSpec& gpu, const std::vector<GemmProblem>& draws,
                   const std::vector<AnySchedule>& schedules,
                   const std::optional<ConfigPattern>& pattern, Regime regime, Inputs inputs,
                   std::size_t keep, const Effort& effort);

}  // namespace tilecast
