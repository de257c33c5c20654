// The best of each schedule, where a ranking's first rows are one kernel in many orders.
// Checked by: cli/predict_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// As rank_candidates with each of `schedules` alone (of menu_schedules where empty): the first of
/// each, simulated where the method simulates, fastest first. A schedule without a legal
/// candidate has none. What is counted is of all of them together.
Ranking best_per_schedule(const GpuSpec& gpu, const AnyProblem& problem,
                          std::vector<AnySchedule> schedules, Regime regime, Inputs inputs,
                          Effort effort = {});

}  // namespace tilecast
