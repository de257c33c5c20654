// Simulates random problems and configurations, small enough to run many per second. None deadlocks
// or is faster than a bound; all tiles are stored and all bytes are accounted for.
#include <algorithm>
#include <functional>
#include <random>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/rules/split_rules.h"
#include "model/gemm/sim/example_blackwell.h"
#include "model/gemm/sim/example_gpu.h"
#include "model/sim/engine/engine.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

class Choice {
 public:
  explicit Choice(u64 seed) : random_(seed) {}
  i64 between(i64 least, i64 most) {
    return least + static_cast<i64>(random_() % static_cast<u64>(most - least + 1));
  }
  i32 of(std::initializer_list<i32> values) {
    return values.begin()[between(0, static_cast<i64>(values.size()) - 1)];
  }

 private:
  std::mt19937_64 random_;
};

KernelConfig random_wgmma_config(Choice& choice) {
  const Schedule schedule = kWgmmaSchedules[choice.between(0, std::size(kWgmmaSchedules) - 1)];
  KernelConfig config = plain(schedule);
  Tiling& t = config.tiling;
  if (schedule != Schedule::kPingPong) {
    t.warpgroups_m = choice.of({1, 1, 2, 3});
    t.warpgroups_n = choice.of({1, 1, 2});
  }
  t.block_m = 64 * t.warpgroups_m * choice.of({1, 2});
  t.block_n = choice.of({32, 64, 96, 128}) * t.warpgroups_n;
  t.block_k = choice.of({32, 64, 128});
  if (has_ring(schedule)) {
    t.stages = choice.of({2, 3, 4, 7});
    config.inflight = choice.of({0, 1, 1, std::min(2, t.stages - 1)});
  }
  if (traits_of(schedule).shares_operands) {
    t.cluster_m = choice.of({1, 1, 2});
    t.cluster_n = choice.of({1, 1, 2});
  }
  if (schedule == Schedule::kWarpSpecialized) {
    config.grid = choice.of({0, 1}) == 0 ? Grid::kTiles : Grid::kResident;
  }
  if (schedule == Schedule::kWarpSpecialized && config.grid == Grid::kResident) {
    config.store = choice.of({0, 1}) == 0 ? Store::kAtTileEnd : Store::kDeferred;
  }
  // C aliases stages only if nothing else needs them (smem_layout.h).
  const bool may_borrow = config.grid == Grid::kTiles
                              ? schedule != Schedule::kWarpSpecialized
                              : schedule == Schedule::kPersistentOverlap && config.inflight >= 1;
  t.c_slots = may_borrow ? choice.of({0, 1, 2}) : choice.of({1, 2, 4});
  config.raster = {choice.of({0, 1}) == 0 ? RasterKind::kGroupedM : RasterKind::kGroupedN,
                   choice.of({1, 2, 4}), choice.of({0, 1}) == 0 ? Walk::kStrided : Walk::kChunked};
  if (config.grid == Grid::kTiles) {
    config.raster.walk = Walk::kStrided;
  }
  if (choice.between(0, 4) == 0) {
    config.raster = {RasterKind::kHilbert, 1, config.raster.walk};
  }
  return config;
}

GemmProblem random_problem(Choice& choice, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  GemmProblem problem = fp16(choice.between(1, 6 * t.block_m), choice.between(1, 6 * t.block_n),
                             8 * choice.between(1, 80));
  if (config.schedule == Schedule::kSmallMma) {
    problem = fp16(t.block_m, t.block_n, t.block_k);
  }
  problem.layout = static_cast<Layout>(choice.of({0, 0, 1, 2, 3}));
  if ((!b_is_k_major(problem.layout) && problem.shape.n % 8 != 0) ||
      (!a_is_k_major(problem.layout) && problem.shape.m % 8 != 0)) {
    problem.layout = Layout::kTn;
  }
  return problem;
}

/// Splits K at random, within the problem's limits.
Decomposition random_decomposition(Choice& choice, const GemmProblem& problem, KernelConfig config,
                                   i32 workers) {
  if (!splits_k(config.schedule)) {
    return {};
  }
  const i32 k_blocks = static_cast<i32>(ceil_div<i64>(problem.shape.k, config.tiling.block_k));
  const bool equally = splits_equally(config.schedule);
  config.decomposition = {equally ? static_cast<i32>(choice.between(1, k_blocks)) : 0,
                          equally ? 0 : choice.of({1, 2, 4, 8}),
                          static_cast<Reduction>(choice.between(0, 2))};
  const u32 resident = static_cast<u32>(workers);
  const TileScheduler tiles = make_tile_scheduler(problem, config, resident);
  if (!why_not_split(tiles, k_blocks, config, resident).empty()) {
    config.decomposition.reduction = Reduction::kTurnstile;
  }
  return config.decomposition;
}

KernelConfig random_tcgen05_config(Choice& choice) {
  const Schedule schedule = kTcgen05Schedules[choice.between(0, kTcgen05Schedules.size() - 1)];
  KernelConfig config = plain_tcgen05(schedule, choice.of({1, 1, 2}));
  Tiling& t = config.tiling;
  t.warpgroups_n = choice.of({1, 1, 2});
  t.block_n = t.warpgroups_n * choice.of({64, 128});
  t.block_k = choice.of({64, 128});
  t.stages = choice.of({2, 3, 4, 7});
  config.inflight = choice.of({0, 1, std::min(2, t.stages - 1)});
  config.accumulators = 1;
  if (schedule == Schedule::kTcgen05WarpSpecialized) {
    config.accumulators = choice.of({1, 2});
    config.grid = static_cast<Grid>(
        choice.of({static_cast<i32>(Grid::kTiles), static_cast<i32>(Grid::kResident),
                   static_cast<i32>(Grid::kTakeover)}));
  }
  // C aliases stages only if no load can arrive at the same time.
  const bool may_borrow =
      config.grid == Grid::kTiles || schedule == Schedule::kTcgen05PersistentOverlap;
  t.c_slots = may_borrow ? choice.of({0, 1, 2}) : choice.of({1, 2, 4});
  config.raster = {
      choice.of({0, 1}) == 0 ? RasterKind::kGroupedM : RasterKind::kGroupedN, choice.of({1, 2, 4}),
      config.grid == Grid::kResident && choice.of({0, 1}) == 0 ? Walk::kChunked : Walk::kStrided};
  return config;
}

/// Describes a beaten bound or a violated conservation law; empty if there is none.
std::string fault(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                  const Simulated& kernel) {
  const Tiling& t = config.tiling;
  const i64 tiles_m = ceil_div<i64>(problem.shape.m, t.block_m * t.cluster_m) * t.cluster_m;
  const i64 tiles_n = ceil_div<i64>(problem.shape.n, t.block_n * t.cluster_n) * t.cluster_n;
  const i64 k_blocks = ceil_div<i64>(problem.shape.k, t.block_k);
  const i64 tiles = tiles_m * tiles_n, parts = tiles * warpgroups_per_tile(t);
  const double a = static_cast<double>(problem.shape.m * problem.shape.k * 2);
  const double b = static_cast<double>(problem.shape.n * problem.shape.k * 2);
  const double operands = a * static_cast<double>(tiles_n / t.cluster_n) +
                          b * static_cast<double>(tiles_m / t.cluster_m);
  // One thread issues for the whole tile, and the CTAs of a pair fill half of B each.
  const bool tcgen05 = uses_tcgen05(config.schedule);
  const double intake =
      tcgen05 ? operands : a * static_cast<double>(tiles_n) + b * static_cast<double>(tiles_m);
  if (kernel.tiles != parts || kernel.k_blocks != (tcgen05 ? tiles : parts) * k_blocks) {
    return "tiles or K blocks lost";
  }
  const double sums = kernel.sums_read.value;
  if (kernel.l2_to_sm.value != operands + sums ||
      kernel.l2_output > kernel.l2_to_sm * 4 ||  // 16 bytes may touch two sectors
      kernel.l2_far > kernel.l2_output || kernel.sm_intake.value != intake + sums ||
      sums > kernel.sums_written.value) {
    return "bytes from L2";
  }
  if (kernel.dram_read.value != a + b) {  // all of it fits in L2
    return "bytes from DRAM";
  }
  if (kernel.time.value * gpu.dram->read_rate.value < a + b ||
      kernel.time.value * gpu.machine->l2_output.value < kernel.l2_output.value ||
      kernel.cycles.value * gpu.machine->intake.value * gpu.sm.count < kernel.sm_intake.value ||
      kernel.cycles.value * tensor_rate(gpu).value * gpu.sm.count < gemm_flops(problem.shape) ||
      kernel.tensor_share > 1 || kernel.l2_share > 1 || kernel.dram_share > 1) {
    return "faster than a bound";
  }
  return "";
}

struct RandomKernel {
  GemmProblem problem;
  KernelConfig config;
  i32 ctas_per_sm;
};

void check_kernels(const GpuSpec& gpu, int kernels,
                   const std::function<RandomKernel(Choice& choice)>& draw) {
  Choice choice(2026);
  int faults = 0;
  for (int i = 0; i < kernels && faults < 5; ++i) {
    const auto [problem, config, ctas] = draw(choice);
    std::string why;
    try {
      why = fault(gpu, problem, config,
                  simulate_gemm(gpu, problem, config,
                                {ctas, ctas * 4 / cluster_size(config.tiling)}, kExampleClock));
    } catch (const SimulationError& error) {
      why = error.what();
    }
    if (!why.empty()) {
      ++faults;
      FAIL_CHECK(to_text(problem.shape) << " " << to_text(config) << ": " << why);
    }
  }
  CHECK(faults == 0);
}

}  // namespace

TEST_CASE("Twenty thousand random kernels neither deadlock nor beat a bound") {
  check_kernels(example_gpu(), 20000, [](Choice& choice) {
    KernelConfig config = random_wgmma_config(choice);
    const GemmProblem problem = random_problem(choice, config);
    const i32 ctas = choice.of({1, 1, 2});
    config.decomposition =
        random_decomposition(choice, problem, config, ctas * 4 / cluster_size(config.tiling));
    return RandomKernel{problem, config, ctas};
  });
}

TEST_CASE("Ten thousand random tcgen05 kernels neither deadlock nor beat a bound") {
  check_kernels(example_blackwell(), 10000, [](Choice& choice) {
    KernelConfig config = random_tcgen05_config(choice);
    const Tiling& t = config.tiling;
    GemmProblem problem = fp16(choice.between(1, 6 * t.block_m), choice.between(1, 6 * t.block_n),
                               choice.between(1, 6 * t.block_k));
    problem.shape.k = round_up<i64>(problem.shape.k, 8);
    const i32 ctas =
        tensor_memory_columns(config) <= kTensorMemoryColumns / 2 ? choice.of({1, 1, 2}) : 1;
    config.decomposition =
        random_decomposition(choice, problem, config, ctas * 4 / cluster_size(t));
    if (config.decomposition.reduction == Reduction::kSpread) {
      config.decomposition.reduction = Reduction::kAtomic;
    }
    return RandomKernel{problem, config, ctas};
  });
}
