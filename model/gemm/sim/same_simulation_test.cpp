#include "model/gemm/sim/same_simulation.h"

#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

/// Checks that both map to one kernel, and that their simulations agree.
void check_same(const GemmProblem& problem, const KernelConfig& a, const KernelConfig& b) {
  CHECK_FALSE(a == b);
  CHECK(as_simulated(problem, a, 1) == as_simulated(problem, b, 1));
  const Simulated one = simulate_example(example_gpu(), problem, a);
  const Simulated other = simulate_example(example_gpu(), problem, b);
  CHECK(one.cycles == other.cycles);
  CHECK(one.l2_output == other.l2_output);
}

KernelConfig with_stages(KernelConfig config, i32 stages) {
  config.tiling.stages = stages;
  return config;
}

}  // namespace

TEST_CASE("A stage makes another simulation only if a load reaches it") {
  const GemmProblem four_blocks = fp16(256, 256, 256);
  for (const Schedule schedule : {Schedule::kPipelined, Schedule::kWarpSpecialized}) {
    const KernelConfig config = plain(schedule);
    check_same(four_blocks, with_stages(config, 4), with_stages(config, 7));
    CHECK_FALSE(as_simulated(four_blocks, with_stages(config, 3), 1) ==
                as_simulated(four_blocks, with_stages(config, 4), 1));
  }
  // Loads of a persistent grid run ahead into the next tile.
  const KernelConfig resident = plain(Schedule::kPingPong);
  CHECK_FALSE(as_simulated(four_blocks, with_stages(resident, 4), 1) ==
              as_simulated(four_blocks, with_stages(resident, 7), 1));
}

TEST_CASE(
    "Extra slots of C, explicit defaults and the producer's registers do not make another kernel") {
  const GemmProblem problem = fp16(256, 256, 512);
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  KernelConfig slots = config;
  slots.tiling.c_slots = 4;  // a tile of 64 columns is one chunk
  check_same(problem, config, slots);
  KernelConfig named = config;
  named.instruction_n = 64;
  check_same(problem, config, named);
  KernelConfig registers = config;
  registers.producer_registers = 40;
  check_same(problem, config, registers);
}

TEST_CASE("Another tile order or number of CTAs per SM is another simulation") {
  const GemmProblem problem = fp16(512, 512, 512);
  const KernelConfig config = plain(Schedule::kPersistent);
  KernelConfig order = config;
  order.raster.group = 4;
  CHECK_FALSE(as_simulated(problem, config, 1) == as_simulated(problem, order, 1));
  CHECK_FALSE(as_simulated(problem, config, 1) == as_simulated(problem, config, 2));
}

TEST_CASE("A swizzle group as wide as C equals groups of one tile in the other direction") {
  // 512 x 512 in tiles of at most 256: at most sixteen tiles across.
  const GemmProblem problem = fp16(512, 512, 256);
  KernelConfig rows = plain(Schedule::kPersistent);
  rows.raster = {RasterKind::kGroupedM, 1, Walk::kStrided};
  KernelConfig band = rows;
  band.raster = {RasterKind::kGroupedN, 16, Walk::kStrided};
  check_same(problem, rows, band);
  band.raster = {RasterKind::kGroupedM, 16, Walk::kStrided};
  CHECK_FALSE(as_simulated(problem, rows, 1) == as_simulated(problem, band, 1));
}
