// Selects the kernels that a ranking lists besides the fastest. Checked by: predict_test.cpp.
#pragma once

#include <vector>

#include "model/rank/effort.h"

namespace tilecast {

/// Makes the shortlist from `ranking.by_tile`, the kernels predicted for it: adds the fastest
/// prediction of each schedule and tile, and removes kernels with an estimate below the fastest
/// prediction. Sets `ranking.counterpart`.
void set_shortlist(const Shortlist& shortlist, Ranking& ranking);
/// Replaces `ranking.counterpart` by the first of these predictions (best first) that has a
/// counterpart, if it is better.
void set_counterpart(const Shortlist& shortlist, const std::vector<Prediction>& sorted,
                     Ranking& ranking);

}  // namespace tilecast
