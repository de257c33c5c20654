#include "model/gemm/menu/tile_widths.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {
namespace {

constexpr i32 kBlockN[] = {16,  32,  48,  64,  80,  96,  112, 128, 144,
                           160, 176, 192, 208, 224, 240, 256, 320};
// Besides the fixed widths, the search tries widths that fill whole waves with a problem's tiles,
// for at most this many waves. With more waves the fixed widths leave little of the last wave
// empty.
constexpr i32 kMostFittedWaves = 8;
// Maximum outputs of a tile that one warpgroup holds (ping_pong): 200 accumulators per thread.
constexpr i64 kMostOutputsAlone = i64{128} * 200;
// Operands are swapped if whole tiles of 64 rows (with more rows, tiles of 128 that two warpgroups
// share) would exceed C by more than this percentage of its rows. A taller tile that fits, such as
// one of 320 rows, would leave a coarse last wave.
constexpr i64 kMostWaste = 20;
// Minimum tile width for swapped operands. Widths hold all rows of C in one tile, or an equal part
// of them, with as many parts as needed or one more.
constexpr i32 kFewestSwappedColumns = 16;

/// Returns widths between the fixed ones at which the tiles of `block_m` rows fill whole waves, if
/// an SM then computes fewer columns than at every wider fixed width. Not needed if K is split,
/// which fills waves anyway.
std::vector<i32> fitted_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                               i32 block_m) {
  std::vector<i32> widths;
  if (!b_is_k_major(problem.layout) || problem.groups != nullptr || !has_ring(schedule) ||
      splits_k(schedule)) {
    return widths;
  }
  const i64 rows = problem.batch.products * ceil_div<i64>(problem.shape.m, block_m);
  const i64 n = problem.shape.n;
  const i64 widest = traits_of(schedule).tiles_at_once > 1 ? kMostOutputsAlone / block_m
                                                           : std::ranges::max(kBlockN);
  const auto columns_of_sm = [&](i64 width) {
    return ceil_div<i64>(rows * ceil_div(n, width), gpu.sm.count) * width;
  };
  for (i64 waves = 1; waves <= kMostFittedWaves; ++waves) {
    const i64 tiles_across = waves * gpu.sm.count / rows;
    if (tiles_across == 0) {
      continue;
    }
    const i64 width = round_up<i64>(ceil_div(n, tiles_across), finest_n_step());
    const bool fits = std::ranges::none_of(kBlockN, [&](i32 of_menu) {
      return of_menu >= width && of_menu <= widest &&
             columns_of_sm(of_menu) <= columns_of_sm(width);
    });
    if (width > kBlockN[0] && width <= kMostInstructionN && fits &&
        std::ranges::find(widths, width) == widths.end()) {
      widths.push_back(static_cast<i32>(width));
    }
  }
  return widths;
}

/// Whether unswapped tiles have coarse widths: they must be a multiple of 64 wide, because B is
/// [K,N], and do not cover all columns of C. Their height, also a multiple of 64, then leaves a
/// coarse last wave.
bool has_coarse_widths(const GemmProblem& problem) {
  return !b_is_k_major(problem.layout) && problem.shape.n > kMostInstructionN;
}

/// Whether tiles in order waste rows, or are coarse.
bool rows_fit_badly(const GemmProblem& problem) {
  const i64 m = problem.shape.m;
  const i64 tile = m > kWgmmaM ? 2 * kWgmmaM : kWgmmaM;
  const bool wastes = (round_up(m, tile) - m) * kMostWaste > m;
  // Unswapped tiles have at least 64 columns if B is not K-major, so a single row of tiles has few.
  // Swapped, C's rows can be divided into narrower tiles.
  const bool one_row_of_wide_tiles = m <= kWgmmaM && !b_is_k_major(problem.layout);
  return a_is_k_major(problem.layout) &&
         (wastes || one_row_of_wide_tiles || has_coarse_widths(problem));
}

/// Whether swapped operands are tried with widths that fill waves better than tiles in order, by
/// schedules that do not split K.
bool may_fill_waves_better(const GemmProblem& problem) {
  return problem.layout == Layout::kTn && problem.shape.m > kMostInstructionN &&
         problem.groups == nullptr;
}

/// Outputs of a tile, and of all tiles that the busiest SM computes.
struct SmLoad {
  i64 tile, total;
};

SmLoad load_of(const GpuSpec& gpu, const GemmProblem& problem, i64 block_m, i64 block_n) {
  const i64 tiles = problem.batch.products * ceil_div<i64>(problem.shape.m, block_m) *
                    ceil_div<i64>(problem.shape.n, block_n);
  return {block_m * block_n, ceil_div<i64>(tiles, gpu.sm.count) * block_m * block_n};
}

/// Returns the loads of all unswapped tiles.
std::vector<SmLoad> loads_of(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule) {
  std::vector<SmLoad> loads;
  for (const i32 block_m : kTileHeights) {
    for (const i32 block_n : tile_widths(gpu, problem, schedule, block_m)) {
      loads.push_back(load_of(gpu, problem, block_m, block_n));
    }
  }
  return loads;
}

/// Whether each unswapped tile that is as large leaves an SM more outputs.
bool fills_waves_better(const SmLoad& swapped, const std::vector<SmLoad>& unswapped) {
  return std::ranges::none_of(unswapped, [&](const SmLoad& load) {
    return load.tile >= swapped.tile && load.total <= swapped.total;
  });
}

}  // namespace

std::vector<i32> tile_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                             i32 block_m) {
  std::vector<i32> widths(std::begin(kBlockN), std::end(kBlockN));
  const std::vector<i32> fitted = fitted_widths(gpu, problem, schedule, block_m);
  widths.insert(widths.end(), fitted.begin(), fitted.end());
  return widths;
}

std::vector<i32> swapped_tile_widths(const GpuSpec& gpu, const GemmProblem& problem,
                                     Schedule schedule, i32 block_m, bool all) {
  const GemmProblem in_order = transposed(problem);
  std::vector<i32> widths;
  const auto add = [&](i32 width) {
    if (std::ranges::find(widths, width) == widths.end()) {
      widths.push_back(width);
    }
  };
  if (all || rows_fit_badly(in_order)) {
    const i64 fewest = ceil_div<i64>(problem.shape.n, kMostInstructionN);
    for (const i64 parts : {fewest, fewest + 1}) {
      const i64 width = round_up<i64>(ceil_div(problem.shape.n, parts), finest_n_step());
      add(max_of(kFewestSwappedColumns, static_cast<i32>(width)));
    }
  }
  const bool coarse = has_coarse_widths(in_order);
  if (coarse || (!splits_k(schedule) && may_fill_waves_better(in_order))) {
    const std::vector<SmLoad> loads =
        coarse ? std::vector<SmLoad>() : loads_of(gpu, in_order, schedule);
    for (const i32 width : tile_widths(gpu, problem, schedule, block_m)) {
      if (coarse ? width % kSlabColumns != 0
                 : fills_waves_better(load_of(gpu, problem, block_m, width), loads)) {
        add(width);
      }
    }
  }
  return widths;
}

bool swapping_pays(const GemmProblem& problem) {
  return rows_fit_badly(problem) || may_fill_waves_better(problem);
}

}  // namespace tilecast
