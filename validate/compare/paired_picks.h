// Tests whether the model's top-1 pick is faster than another method's, on the same groups: a
// Wilcoxon signed-rank test on log ratios of their speeds.
//
// Groups of one regime are treated as independent, although shapes of one family are somewhat
// correlated. Checked by: paired_picks_test.cpp.
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
  // Geometric mean over groups of the pick's speed / the other method's, each relative to its best.
  double ratio;
  std::size_t better, worse;  // number of groups in which the pick is faster, slower
  double p;                   // two-sided p-value
};

/// Compares the pick with each baseline available for these groups. cuBLASLt's pick is relative to
/// the best of cuBLASLt, tilecast's to the best of tilecast's kernels. `fixed_config`: empty if
/// there is none.
std::vector<PairedFigures> paired_picks(const std::vector<JoinedGroup>& groups,
                                        const std::string& fixed_config);

}  // namespace tilecast
