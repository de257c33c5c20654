// Splits the cost of grouping into parts. Each arrow is a step between two uncorrected predictions
// of the same kernel; a part is the time that its step adds.
//   along M: one GEMM with all rows
//            -> the same rows in groups of whole tiles (at most one group per tile)
//            -> equal groups -> the actual groups
//   along K: equal groups of whole K blocks -> equal groups -> the actual groups
// If groups have fewer rows than a tile, partial tiles also read more of B than full tiles would,
// which counts as part of their cost. Not modelled: the order of groups.
// Checked by: group_parts_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Fractions of the kernel's cycles; they add up to 1. One may be negative: some groups are faster
/// than their idealization.
struct GroupParts {
  double alike;      // one GEMM; for groups along K, equal groups of whole K blocks
  double own_b;      // weight traffic: each group's B, and rereads at the groups' ends; 0 along K
  double partial;    // partial tiles or K blocks at the groups' ends
  double imbalance;  // groups of different size
};

/// Returns std::nullopt if there are no groups.
std::optional<GroupParts> group_parts(const GemmQuestion& question, const KernelConfig& config,
                                      Method method);

}  // namespace tilecast
