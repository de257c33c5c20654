// Whether the model's first pick is really faster than another way to choose: both chosen on the
// same groups, and a Wilcoxon signed-rank test of the logarithms of the ratios of their speeds.
//
// Groups of one regime count as independent of each other, which shapes of one family are not
// quite. Checked by: paired_picks_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

struct PairedFigures {
  std::string against;  // pick_by_cycles, closed_form, fixed_tiling or cublaslt_top1
  std::size_t groups;
  double ratio;  // geometric mean of our pick's speed over the other's, each against its best
  std::size_t better, worse;  // groups where ours is faster, slower
  double p;                   // of so large a difference by chance, two-sided
};

/// Against each baseline that groups of these have; cuBLASLt's pick is held against the best of
/// cuBLASLt, ours against the best of ours. `fixed_config`: empty where there is none.
std::vector<PairedFigures> paired_picks(const std::vector<JoinedGroup>& groups,
                                        const std::string& fixed_config);

}  // namespace tilecast
