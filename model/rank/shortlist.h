// Selects the kernels that a ranking lists besides the fastest. Checked by: predict_test.cpp.
#pragma once

#include "model/rank/effort.h"

namespace tilecast {

/// Turns `ranking.by_tile`, the kernels predicted for the shortlist, into the shortlist: adds the
/// fastest prediction of each schedule and tile, and removes kernels with an estimate below the
/// fastest prediction. Sets `ranking.counterpart`.
void set_shortlist(const Shortlist& shortlist, Ranking& ranking);

}  // namespace tilecast
