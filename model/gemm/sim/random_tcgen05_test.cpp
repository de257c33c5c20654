// Small random problems and tcgen05 configurations: none deadlocks or beats a bound, all tiles are
// stored and all bytes are accounted for.
#include <random>

#include "model/base/math.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/sim/example_blackwell.h"
#include "model/sim/engine/engine.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr int kKernels = 10000;

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

KernelConfig random_config(Choice& choice) {
  const Schedule schedule = kTcgen05Schedules[choice.between(0, 3)];
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
  // C borrows stages only if no load can arrive meanwhile.
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
  const i64 tiles_n = ceil_div<i64>(problem.shape.n, t.block_n);
  const i64 k_blocks = ceil_div<i64>(problem.shape.k, t.block_k);
  const double a = static_cast<double>(problem.shape.m * problem.shape.k * 2);
  const double b = static_cast<double>(problem.shape.n * problem.shape.k * 2);
  const double operands =
      a * static_cast<double>(tiles_n) + b * static_cast<double>(tiles_m / t.cluster_m);
  if (kernel.tiles != tiles_m * tiles_n * t.warpgroups_n ||
      kernel.k_blocks != tiles_m * tiles_n * k_blocks) {
    return "tiles or K blocks lost";
  }
  if (kernel.l2_to_sm.value != operands || kernel.sm_intake.value != operands) {
    return "bytes from L2";
  }
  if (kernel.dram_read.value != a + b) {  // all of it fits L2
    return "bytes from DRAM";
  }
  if (kernel.time.value * gpu.dram->read_rate.value < a + b ||
      kernel.time.value * gpu.machine->l2_output.value < kernel.l2_output.value ||
      kernel.cycles.value * gpu.machine->intake.value * gpu.sm.count < kernel.sm_intake.value ||
      kernel.cycles.value * gpu.tcgen05->flops_per_sm.value * gpu.sm.count <
          gemm_flops(problem.shape) ||
      kernel.tensor_share > 1 || kernel.l2_share > 1 || kernel.dram_share > 1) {
    return "faster than a bound";
  }
  return "";
}

}  // namespace

TEST_CASE("Ten thousand random tcgen05 kernels neither deadlock nor beat a bound") {
  const GpuSpec gpu = example_blackwell();
  Choice choice(2026);
  int faults = 0;
  for (int i = 0; i < kKernels && faults < 5; ++i) {
    const KernelConfig config = random_config(choice);
    const Tiling& t = config.tiling;
    GemmProblem problem = fp16(choice.between(1, 6 * t.block_m), choice.between(1, 6 * t.block_n),
                               choice.between(1, 6 * t.block_k));
    problem.shape.k = round_up<i64>(problem.shape.k, 8);
    const i32 ctas =
        tensor_memory_columns(config) <= kTensorMemoryColumns / 2 ? choice.of({1, 1, 2}) : 1;
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
