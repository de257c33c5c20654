// Splits the cost of grouping into parts, by uncorrected predictions of the same kernel with
// idealized groups:
//   along M: one GEMM with as many rows
//            -> the same rows in whole tiles, in as many groups as there are, or tiles
//            -> equal groups -> the actual groups
//   along K: equal groups of whole K blocks -> equal groups -> the actual groups
// A part is the time that a step adds. If groups have fewer rows than a tile, partial tiles also
// read more of B than full tiles would, which counts as part of their cost. Not modelled: the order
// of groups. Checked by: group_parts_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Shares of the kernel's cycles; they add up to 1. A part may be negative: some groups are faster
/// than their idealization.
struct GroupParts {
  double alike;      // one GEMM; for groups along K: equal groups of whole K blocks
  double own_b;      // weight traffic: a B per group, and reads of the groups' ends; 0 along K
  double partial;    // partial tiles or K blocks at the groups' ends
  double imbalance;  // groups of different size
};

/// Returns std::nullopt if there are no groups.
std::optional<GroupParts> group_parts(const GemmQuestion& question, const KernelConfig& config,
                                      Method method);

}  // namespace tilecast
