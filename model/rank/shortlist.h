// The kernels that an answer shows besides the fastest ones.
// Checked by: predict_test.cpp.
#pragma once

#include "model/rank/effort.h"

namespace tilecast {

/// `ranking.by_tile`, which holds what was looked for apart, becomes the shortlist: with the first
/// of each schedule and tile among the predictions, and none that is estimated to be faster than
/// the first of these. `ranking.counterpart` likewise.
void set_shortlist(const Shortlist& shortlist, Ranking& ranking);

}  // namespace tilecast
