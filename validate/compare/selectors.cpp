#include "validate/compare/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "validate/compare/pick.h"
#include "validate/compare/statistics.h"
#include "validate/record/csv_text.h"

namespace tilecast {
namespace {

using ListedProblem = std::tuple<i64, i64, i64, ElementType, Layout>;

bool is_one_plain_product(const GemmProblem& problem) {
  return problem == GemmProblem{problem.shape, problem.dtype, problem.layout};
}

/// |log2(a / b)|, for positive values: 0 if equal, 1 at a factor of two.
double octaves(i32 a, i32 b) {
  return std::abs(
      std::log2(static_cast<double>(std::max(a, 1)) / static_cast<double>(std::max(b, 1))));
}

/// Distance of a schedule from the kernel family that both selectors target: warp-specialized with
/// consumers that share a tile, with or without equal splits.
double distance_of_schedule(Schedule schedule, bool splits) {
  constexpr double kPingPong = 0.3, kWholeTiles = 1.5, kOtherSplits = 3;
  if (schedule == (splits ? Schedule::kSplitK : Schedule::kWarpSpecialized)) {
    return 0;
  }
  return splits_k(schedule)                ? kOtherSplits
         : schedule == Schedule::kPingPong ? kPingPong
                                           : kWholeTiles;
}

/// Distance of two kernels, dominated by tile dimensions and splits; cluster and stages have little
/// weight.
double distance(const ChosenKernel& chosen, const KernelConfig& config) {
  constexpr double kOfTile = 2, kOfSplits = 2, kOfCluster = 0.5, kOfStages = 0.25;
  const Tiling& own = config.tiling;
  const bool swapped = config.operands == OperandOrder::kSwapped;
  const i32 tile_m = swapped ? own.block_n : own.block_m;
  const i32 tile_n = swapped ? own.block_m : own.block_n;
  const i32 cluster_m = swapped ? own.cluster_n : own.cluster_m;
  const i32 cluster_n = swapped ? own.cluster_m : own.cluster_n;
  return kOfTile * (octaves(chosen.tile_m, tile_m) + octaves(chosen.tile_n, tile_n)) +
         kOfSplits * octaves(chosen.splits, config.decomposition.splits) +
         kOfCluster *
             (octaves(chosen.cluster_m, cluster_m) + octaves(chosen.cluster_n, cluster_n)) +
         (chosen.stages == 0 ? 0 : kOfStages * octaves(chosen.stages, own.stages)) +
         distance_of_schedule(config.schedule, chosen.splits > 1);
}

/// Number of waves and fullness of the last, as DeepGEMM's rule compares them.
struct WaveCount {
  i64 count, in_last;

  static WaveCount of(const GemmShape& shape, i32 tile_m, i32 tile_n, i32 sm_count) {
    const i64 tiles = ceil_div<i64>(shape.m, tile_m) * ceil_div<i64>(shape.n, tile_n);
    return {ceil_div<i64>(tiles, sm_count), (tiles - 1) % sm_count + 1};
  }
};

bool is_better(const ChosenKernel& a, const ChosenKernel& b, const GemmShape& shape, i32 sms) {
  const WaveCount of_a = WaveCount::of(shape, a.tile_m, a.tile_n, sms);
  const WaveCount of_b = WaveCount::of(shape, b.tile_m, b.tile_n, sms);
  if (of_a.count != of_b.count || of_a.in_last != of_b.in_last) {
    return std::tuple(of_a.count, -of_a.in_last) < std::tuple(of_b.count, -of_b.in_last);
  }
  if (a.tile_m == b.tile_m) {
    return a.tile_n < b.tile_n;
  }
  if (a.tile_n == b.tile_n) {
    return a.tile_m < b.tile_m;
  }
  return a.tile_n > b.tile_n && a.tile_n <= shape.n && a.tile_m <= shape.m;
}

ChosenKernel by_waves(const GemmShape& shape, i32 sm_count) {
  constexpr i32 kShortSide = 128, kWidest = 256, kStep = 16;
  std::optional<ChosenKernel> best;
  for (const i32 tile_m : {64, 128, 256}) {
    for (i32 tile_n = kStep; tile_n <= kWidest; tile_n += kStep) {
      const ChosenKernel tile{.tile_m = tile_m, .tile_n = tile_n};
      if (std::min(tile_m, tile_n) <= kShortSide &&
          (!best || is_better(tile, *best, shape, sm_count))) {
        best = tile;
      }
    }
  }
  constexpr i64 kRowsOfClusters = 512;
  if (shape.m >= kRowsOfClusters) {
    const bool pairs_m = ceil_div<i64>(shape.m, best->tile_m) % 2 == 0;
    const bool pairs_n = ceil_div<i64>(shape.n, best->tile_n) % 2 == 0;
    // The operand along the longer dimension is shared first: the CTAs lie along the shorter one.
    const bool along_m = pairs_m && (best->tile_m <= best->tile_n || !pairs_n);
    best->cluster_m = along_m ? 2 : 1;
    best->cluster_n = !along_m && pairs_n ? 2 : 1;
  }
  return *best;
}

}  // namespace

Selector deep_gemm_rule(i32 sm_count) {
  return {"DeepGEMM's rule", [sm_count](const GemmProblem& problem) -> std::optional<ChosenKernel> {
            return is_one_plain_product(problem) ? std::optional(by_waves(problem.shape, sm_count))
                                                 : std::nullopt;
          }};
}

Selector listed_choices(std::string_view csv, const std::string& path) {
  const auto whole = [](std::string_view value) {
    constexpr i64 kMost = std::numeric_limits<i32>::max();
    const std::optional<i64> number = parse_integer(value);
    if (!number || *number < 1 || *number > kMost) {
      throw ConfigError(fmt::format("expected an integer from 1 to {}, got '{}'", kMost, value));
    }
    return static_cast<i32>(*number);
  };
  std::map<ListedProblem, ChosenKernel> choices;
  for (const CsvRow& row : csv_rows(csv, path)) {
    const ListedProblem problem{row.get("m", whole), row.get("n", whole), row.get("k", whole),
                                row.get("dtype", parse_element_type),
                                row.get("layout", parse_layout)};
    const ChosenKernel chosen{.tile_m = row.get("tile_m", whole),
                              .tile_n = row.get("tile_n", whole),
                              .cluster_m = row.get("cluster_m", whole),
                              .cluster_n = row.get("cluster_n", whole),
                              .splits = row.get("split_k", whole),
                              .stages = row.get("stages", whole)};
    if (!choices.emplace(problem, chosen).second) {
      throw ConfigError(row.where() + ": duplicate choice for this problem");
    }
  }
  if (choices.empty()) {
    throw ConfigError(path + ": expected at least one choice");
  }
  return {std::filesystem::path(path).stem().string(),
          [choices = std::move(choices)](const GemmProblem& p) -> std::optional<ChosenKernel> {
            const auto found = choices.find({p.shape.m, p.shape.n, p.shape.k, p.dtype, p.layout});
            return is_one_plain_product(p) && found != choices.end() ? std::optional(found->second)
                                                                     : std::nullopt;
          }};
}

std::optional<double> selector_ratio(const JoinedGroup& group, const Selector& selector) {
  const GemmProblem* problem = std::get_if<GemmProblem>(&group.problem);
  const std::optional<ChosenKernel> chosen =
      problem != nullptr && can_pick(group) ? selector.choose(*problem) : std::nullopt;
  if (!chosen) {
    return std::nullopt;
  }
  double nearest = std::numeric_limits<double>::infinity();
  Values ratios;
  for (const JoinedPoint& point : group.points) {
    const double far = distance(*chosen, std::get<KernelConfig>(point.predicted.config));
    if (far < nearest) {
      nearest = far;
      ratios.clear();
    }
    if (far == nearest) {
      ratios.push_back(group.best_measured_time() / point.measured_time());
    }
  }
  return median(ratios);
}

}  // namespace tilecast
