// What groups cost a kernel, in parts: forecasts of the same kernel with other groups in their
// place, each without one of the costs, by physics alone.
//   along M: one product of as many rows
//            -> the same rows in whole tiles, in as many groups as there are, or tiles
//            -> equal groups -> the groups as they are
//   along K: equal groups of whole K blocks -> equal groups -> the groups as they are
// What each step adds is a part. Where groups have fewer rows than a tile, a tile that is partly
// empty also reads a B that fuller tiles would not, and that is counted with the partial tiles.
// Leaves out: in which order the groups come. Checked by: group_parts_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Shares of the kernel's cycles that add up to 1. A part may be below 0: some groups are faster
/// than what they are compared with.
struct GroupParts {
  double alike;      // one product, or of groups along K equal ones of whole K blocks
  double own_b;      // each group reads a B of its own, and CTAs read where groups end; along K 0
  double partial;    // groups end inside tiles, or K blocks
  double imbalance;  // groups differ
};

/// None where there are no groups.
std::optional<GroupParts> group_parts(const GemmQuestion& question, const KernelConfig& config,
                                      Method method);

}  // namespace tilecast
