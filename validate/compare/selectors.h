// Other ways to choose a kernel, judged on our measured rows: of those measured for a problem, the
// one nearest to what a selector asks for stands for its choice. Its own kernels do not run, and
// its raster is not known; where none of ours is near, as where it does not split K and all of ours
// do, what it reaches is a poor witness.
// Checked by: selectors_test.cpp; data/h200_sxm/baselines has what the selectors reach.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"
#include "validate/compare/join.h"

namespace tilecast {

struct ChosenKernel {
  i32 tile_m, tile_n;
  i32 cluster_m = 1, cluster_n = 1;
  i32 splits = 1;
  i32 stages = 0;  // 0: as many as fit

  bool operator==(const ChosenKernel&) const = default;
};

struct Selector {
  std::string name;
  /// Nothing where it has no choice for a problem.
  std::function<std::optional<ChosenKernel>(const GemmProblem&)> choose;
};

/// DeepGEMM's rule for Hopper of 2025, as its csrc/jit_kernels/heuristics/common.hpp has it: of
/// tiles of 64, 128 and 256 rows by 16, 32, ..., 256 columns with one side of at most 128 the
/// fewest waves, then the fullest last one; of equally good ones the smaller of two with the same
/// other side, else the wider one that is no wider than C. From 512 rows on clusters of two where
/// the tiles divide. Of one product whose C is all that is asked for.
Selector deep_gemm_rule(i32 sm_count);

/// Choices that a selector made elsewhere: CSV with the columns m, n, k, dtype, layout, tile_m,
/// tile_n, stages, cluster_m, cluster_n and split_k, and any others. Named as the file, without
/// folders and ending. Throws ConfigError `path:line: column: what was expected`.
Selector listed_choices(std::string_view csv, const std::string& path);

/// Best / own time of the nearest kernel; of equally near ones, which differ in their raster, the
/// median. Nothing where there is no choice or fewer than two kernels.
std::optional<double> selector_ratio(const JoinedGroup& group, const Selector& selector);

}  // namespace tilecast
