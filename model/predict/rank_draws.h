// Ranks configurations for a distribution of group rows: by the mean time over random routings
// (routing.h), because one configuration must serve all of them.
//
// The analytically fastest candidates of each routing are predicted for every routing. The best of
// each schedule are simulated only for the routing with the median time; the change by simulation
// is assumed to be the same for all routings. The interval is the model's error of the mean and
// excludes the spread over the routings. Checked by: rank_draws_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// Ranks like rank_matching if there is a pattern, otherwise like rank_candidates. All routings
/// have the same total rows. The ranking's counts come from the first routing, its problem is the
/// routing with the median time, and each prediction has `of_draws`.
Ranking rank_draws(const GpuSpec& gpu, const std::vector<GemmProblem>& draws,
                   const std::vector<AnySchedule>& schedules,
                   const std::optional<ConfigPattern>& pattern, Regime regime, Inputs inputs,
                   std::size_t keep, const Effort& effort);

}  // namespace tilecast
