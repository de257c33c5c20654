#include "model/gemm/sim/steady_k.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/math.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/order/operand_panels.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

constexpr double kLong =
    1'500'000;  // steps above which a kernel is worth shortening: about 50 ms on one core
constexpr double kShort = 100'000;  // approximate steps of the shorter simulation
constexpr i32 kLeast = 64;          // minimum K blocks of a piece in the shorter simulation
constexpr i64 kLinesBytes = 256;    // lines are fetched in pairs

i64 k_blocks_of(const KernelConfig& config, i64 k) {
  return ceil_div<i64>(k, config.tiling.block_k);
}

/// Steps of the kernel at another K.
double steps_at(const GemmProblem& problem, const KernelConfig& config, u32 resident, i64 k) {
  const TileScheduler tiles = make_tile_scheduler(problem, config, resident);
  const i64 k_blocks = k_blocks_of(config, k);
  const WorkDecomposition work =
      splits_k(config.schedule)
          ? make_work_decomposition(tiles, static_cast<i32>(k_blocks), config, resident)
          : WorkDecomposition::data_parallel(tiles.num_tiles(), 1, resident);
  return static_cast<double>(
      steps_without_steady(whole_waves(tiles, work, resident), problem, config, tiles, k_blocks));
}

/// Returns the K above which a wave's operands evict those of the previous wave: at that K the
/// operands of a patch of this many tiles are at least twice L2's capacity.
double k_beyond_l2(const GpuSpec& gpu, const Tiling& t, u32 workers) {
  const double rows =
      std::sqrt(static_cast<double>(t.block_m) * t.cluster_m * t.block_n * t.cluster_n * workers);
  return 2 * gpu.l2->capacity.value * gpu.l2->usable_fraction / (2 * rows * t.operand_bytes);
}

}  // namespace

std::optional<ShorterK> shorter_k(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, u32 resident) {
  if (grouped_along_k(problem)) {  // each group has a different K
    return std::nullopt;
  }
  const GemmShape& shape = problem.shape;
  const double steps = steps_at(problem, config, resident, shape.k);
  if (steps <= kLong) {
    return std::nullopt;
  }
  const Tiling& t = config.tiling;
  const TileScheduler tiles = make_tile_scheduler(problem, config, resident);
  const double k_blocks = static_cast<double>(k_blocks_of(config, shape.k));
  double least = max_of(kLeast, 4 * t.stages);
  if (splits_k(config.schedule)) {  // K blocks per piece
    least *= std::max(1.0, static_cast<double>(resident) / tiles.num_tiles());
    least = std::max(least, 1.0 * kLeast * config.decomposition.splits);
  }
  if (tiles.num_tiles() > resident) {
    least = std::max(least, k_beyond_l2(gpu, t, resident) / t.block_k);
  }
  const double shorter = std::max(least, k_blocks * kShort / steps);
  if (shorter * 4 > k_blocks) {
    return std::nullopt;
  }
  // Both differ from K by whole K blocks per piece and by whole pairs of lines.
  const i64 parts = std::max(1, config.decomposition.splits);
  const i64 step = std::lcm<i64>(i64{t.block_k} * parts, kLinesBytes / t.operand_bytes);
  const auto k_of = [&](double blocks) {
    const i64 without = shape.k - static_cast<i64>(blocks) * t.block_k;
    return shape.k - without / step * step;
  };
  return ShorterK{k_of(shorter), k_of(2 * shorter)};
}

SimulationSize simulation_size(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, u32 resident) {
  const Tiling& t = config.tiling;
  const std::optional<ShorterK> shorter = shorter_k(gpu, problem, config, resident);
  const i64 k = shorter ? shorter->longer : std::llround(std::ceil(mean_k(problem)));
  const OperandPanels each = OperandPanels::of_clusters(problem, t);
  const double panels = (static_cast<double>(each.of_a()) + each.of_b()) * cluster_size(t);
  return {steps_at(problem, config, resident, k),
          panels * static_cast<double>(k_blocks_of(config, k))};
}

}  // namespace tilecast
