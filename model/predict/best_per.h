// Finds the fastest kernel of each schedule. Useful for problems whose top candidates are one
// kernel with many tile orders. Checked by: cli/predict_test.cpp.
#pragma once

#include <cstddef>
#include <vector>

#include "model/predict/predict.h"

namespace tilecast {

/// Calls rank_candidates separately for each of `schedules` (menu_schedules if empty) and keeps the
/// fastest kernel of each, simulated if the method allows, fastest first. Schedules without a legal
/// candidate are omitted. The counts cover all schedules.
Ranking best_per_schedule(const GpuSpec& gpu, const AnyProblem& problem,
                          std::vector<AnySchedule> schedules, Regime regime, Inputs inputs,
                          const Effort& effort = {});

}  // namespace tilecast
