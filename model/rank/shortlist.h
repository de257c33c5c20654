// Selects the kernels that a ranking lists besides the fastest. Checked by: predict_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
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

/// Kinds of kernels that engineers compare.
using ComparedKernels = std::vector<std::function<bool(const Prediction&)>>;

/// Returns the places of the rows of a table of `most` kernels: the first ones, and last the best
/// of each compared kind that takes at most 1.5 times as long as the first.
std::vector<std::size_t> table_rows(const std::vector<Prediction>& by_tile, std::size_t most,
                                    const ComparedKernels& compared);

}  // namespace tilecast
