// Ranks configurations if the group rows are known only as a distribution: by the mean time over
// draws (routing.h), since one configuration must serve all.
//
// The analytically fastest candidates of each draw are predicted for every draw. The best of each
// schedule are simulated only for the draw with the median time; the change by simulation is
// assumed to be the same for all draws. The interval is the model's error of the mean, not the
// spread of the draws. Checked by: rank_draws_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// Like rank_matching if there is a pattern, otherwise like rank_candidates; all draws have the
/// same total rows. The ranking's problem and counts come from the first draw, and each prediction
/// has `of_draws`.
Ranking rank_draws(const GpuSpec& gpu, const std::vector<GemmProblem>& draws,
                   const std::vector<AnySchedule>& schedules,
                   const std::optional<ConfigPattern>& pattern, Regime regime, Inputs inputs,
                   std::size_t keep, const Effort& effort);

}  // namespace tilecast
