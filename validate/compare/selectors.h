// Other kernel selectors, evaluated on our measured rows: a selector's choice is represented by the
// closest measured kernel. The selector's own kernels are not run, and its raster is unknown. If no
// measured kernel is close, for instance because it does not split K and all of these do, the
// result is not meaningful. Checked by: selectors_test.cpp; results: data/h200_sxm/baselines.
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
  i32 stages = 0;  // number of stages; as many as fit if 0

  bool operator==(const ChosenKernel&) const = default;
};

struct Selector {
  std::string name;
  /// Returns std::nullopt if the selector has no choice for a problem.
  std::function<std::optional<ChosenKernel>(const GemmProblem&)> choose;
};

/// DeepGEMM's rule for Hopper of 2025, from csrc/jit_kernels/heuristics/common.hpp: among tiles of
/// 64, 128 and 256 rows by 16, 32, ..., 256 columns with one dimension of at most 128, the fewest
/// waves, then the fullest last wave; then the smaller of two tiles that share a dimension, else
/// the wider one that is no wider than C. From 512 rows on, clusters of two if the tiles divide
/// evenly. For a single GEMM without epilogue.
Selector deep_gemm_rule(i32 sm_count);

/// A selector's recorded choices: CSV with the columns m, n, k, dtype, layout, tile_m, tile_n,
/// stages, cluster_m, cluster_n and split_k, and any others. The selector is named after the file,
/// without folder and extension. Throws ConfigError `path:line: column: expectation`.
Selector listed_choices(std::string_view csv, const std::string& path);

/// Returns best time / time of the closest kernel, or the median if several are equally close,
/// which then differ in raster. std::nullopt without a choice or with fewer than two kernels.
std::optional<double> selector_ratio(const JoinedGroup& group, const Selector& selector);

}  // namespace tilecast
