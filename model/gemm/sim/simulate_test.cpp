// Simulates whole kernels. With all parts but one infinitely fast, each schedule takes that part's
// analytic time; bytes match arithmetic; equal inputs give equal results.
#include "model/gemm/sim/simulate.h"

#include <thread>

#include "model/base/math.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

constexpr double kWithin = 0.005;

// 8 x 4 tiles of 64 x 64 on 4 SMs: 8 tiles per SM, with 16 K blocks each. small_mma has one of
// each. With split K there are 3 x 3 tiles, and 36 K blocks per SM, however they are cut.
GemmProblem problem_of(Schedule schedule) {
  if (splits_k(schedule)) {
    return fp16(192, 192, 1024);
  }
  return schedule == Schedule::kSmallMma ? fp16(64, 64, 64) : fp16(512, 256, 1024);
}
double tiles_per_sm(Schedule schedule) {
  return schedule == Schedule::kSmallMma ? 1 : splits_k(schedule) ? 2.25 : 8;
}
/// Number of split tiles. Each has one partial sum, which its owner reads. With 9 streamed tiles
/// there is a cut every 2.25 tiles; with the first 5, every 1.25.
double tiles_cut(Schedule schedule) {
  switch (schedule) {
    case Schedule::kSplitK:
      return 9;
    case Schedule::kSplitKHybrid:
      return 1;
    default:
      return splits_k(schedule) ? 3 : 0;
  }
}
double k_blocks(Schedule schedule) { return schedule == Schedule::kSmallMma ? 1 : 16; }

bool loads_run_ahead(Schedule schedule) {
  return schedule == Schedule::kPersistentOverlap || schedule == Schedule::kWarpSpecialized ||
         schedule == Schedule::kPingPong;
}

KernelConfig config_of(Schedule schedule) {
  KernelConfig config = plain(schedule);
  config.grid = loads_run_ahead(schedule) ? Grid::kResident : config.grid;
  if (splits_k(schedule)) {
    (splits_equally(schedule) ? config.decomposition.splits : config.decomposition.min_k_blocks) =
        splits_equally(schedule) ? 4 : 1;
  }
  return config;
}

double cycles(Limiter part, Schedule schedule) {
  return simulate_example(only(part), problem_of(schedule), config_of(schedule)).cycles.value;
}

}  // namespace

TEST_CASE("Bound by one part alone, a kernel takes the time of that part") {
  for (const Schedule schedule : kWgmmaSchedules) {
    INFO(to_text(schedule));
    const double loads = tiles_per_sm(schedule) * k_blocks(schedule);
    // Four wgmmas of 32 cycles read 128 rows of 32 bytes at 128 B per cycle.
    CHECK(cycles(Limiter::kTensor, schedule) == Approx(loads * 4 * 32).epsilon(kWithin));
    CHECK(cycles(Limiter::kSharedMemory, schedule) == Approx(loads * 4 * 32).epsilon(kWithin));
    // Each K block, and each partial sum that the busiest SM reads, is 16 KiB at 64 B per cycle, or
    // 128 lines at two copy-engine cycles each. A tile's 8 KiB of C use the same port.
    const double sums = !splits_k(schedule) ? 0 : schedule == Schedule::kSplitK ? 3 : 1;
    const double tiles = splits_k(schedule) ? 3 : tiles_per_sm(schedule);
    CHECK(cycles(Limiter::kSmIntake, schedule) ==
          Approx((loads + sums) * 256 + tiles * 128).epsilon(kWithin));
    // Each K block of all SMs, and each partial sum that is read, is 16 KiB at 256 B per cycle.
    const double sms = schedule == Schedule::kSmallMma ? 1 : 4;
    CHECK(cycles(Limiter::kL2, schedule) ==
          Approx((sms * loads + tiles_cut(schedule)) * 64).epsilon(kWithin));
    // The bytes of A, B and C; incoming data evicts as much dirty C of the previous run from L2.
    const GemmShape shape = problem_of(schedule).shape;
    const double bytes =
        static_cast<double>(((shape.m + shape.n) * shape.k + shape.m * shape.n) * 2);
    CHECK(cycles(Limiter::kDram, schedule) == Approx(bytes / 100).epsilon(kWithin));
  }
}

TEST_CASE("Bound by latency alone, a kernel takes the latencies that its ring cannot hide") {
  for (const Schedule schedule : kWgmmaSchedules) {
    const KernelConfig config = config_of(schedule);
    GpuSpec gpu = only(Limiter::kLatency);
    gpu.machine->dram_latency = {};
    gpu.machine->wgmma_completion = {};
    const double loads = tiles_per_sm(schedule) * k_blocks(schedule);
    // A blocked kernel waits 400 ns for every load. In a ring of four stages, only every fourth
    // latency is exposed.
    const double latencies = schedule >= Schedule::kPipelined ? loads / 4 : loads;
    CHECK(simulate_example(gpu, problem_of(schedule), config).cycles.value ==
          Approx(latencies * 400).epsilon(kWithin));
  }
}

TEST_CASE("A full wgmma queue delays the next load") {
  // Two stages, 400 ns of latency, 4 wgmmas of 32 per K block. With one K block in flight, its
  // stage is requested again when the next block's wgmmas are issued. A queue of four accepts them
  // at once; each missing entry makes every K block 32 longer.
  GpuSpec gpu = example_gpu();
  for (const Limiter part : kEveryLimiter) {
    gpu = part == Limiter::kTensor || part == Limiter::kLatency ? gpu : without(gpu, part);
  }
  gpu.machine->dram_latency = {};
  gpu.machine->wgmma_completion = {};
  KernelConfig config = plain(Schedule::kWarpSpecialized);
  config.grid = Grid::kResident;
  config.tiling.stages = 2;
  config.inflight = 1;
  const auto k_block = [&](double queue) {
    gpu.machine->mma_queue = queue;
    return simulate_example(gpu, fp16(64, 64, 400 * 64), config).cycles.value / 400;
  };
  CHECK(k_block(4) == Approx(400).epsilon(kWithin));
  CHECK(k_block(4) == k_block(1000));
  CHECK(k_block(3.5) == Approx(400 + 16).epsilon(kWithin));
  CHECK(k_block(3) == Approx(400 + 32).epsilon(kWithin));
  CHECK(k_block(1) == Approx(400 + 96).epsilon(kWithin));
}

TEST_CASE("Bound by its epilogues alone, a kernel runs them in sequence on an SM") {
  for (const Schedule schedule : kWgmmaSchedules) {
    GpuSpec gpu = only(Limiter::kEpilogue);
    // One chunk of 64 x 64 is stored after 200 + 100 cycles and is read from its slot 8192 / 32 +
    // 150 later. A CTA with one tile ends then; a persistent one refills its stages, which takes
    // 100.
    const bool ends = config_of(schedule).grid == Grid::kTiles;
    // With split K the last SM owns three tiles.
    const double tiles = splits_k(schedule) ? 3 : tiles_per_sm(schedule);
    double expected = ends ? tiles * (300 + 406) : 300 + (tiles - 1) * (406 + 100) + 406;
    if (schedule == Schedule::kPingPong) {
      // Two warpgroups keep the store engine busy from the first chunk on.
      expected = 300 + tiles * 256 + 150;
    }
    CHECK(simulate_example(gpu, problem_of(schedule), config_of(schedule)).cycles.value ==
          Approx(expected).epsilon(kWithin));
  }
}

TEST_CASE("A deferred store overlaps the next tile's wgmmas, its packing does not") {
  // 8 tiles per SM, with 16 K blocks of 128 each. At the tile's end come 200 and a chunk of 100;
  // the last store is read 256 + 150 later. Deferred: 16 pairs of 128 threads are packed in 32
  // cycles, at 64 per cycle; only the last tile's chunk is exposed.
  GpuSpec gpu = example_gpu();
  for (const Limiter part : kEveryLimiter) {
    gpu = part == Limiter::kTensor || part == Limiter::kEpilogue ? gpu : without(gpu, part);
  }
  KernelConfig config = config_of(Schedule::kWarpSpecialized);
  const auto cycles = [&] {
    return simulate_example(gpu, problem_of(config.schedule), config).cycles.value;
  };
  CHECK(cycles() == Approx(8 * (2048 + 300) + 406).epsilon(kWithin));
  config.store = Store::kDeferred;
  CHECK(cycles() == Approx(8 * (2048 + 32) + 100 + 406).epsilon(kWithin));
}

TEST_CASE("Every tile and K block is processed once, and bytes match arithmetic") {
  for (const Schedule schedule : kWgmmaSchedules) {
    const Simulated kernel =
        simulate_example(example_gpu(), problem_of(schedule), config_of(schedule));
    const GemmShape shape = problem_of(schedule).shape;
    const i64 tiles = shape.m / 64 * (shape.n / 64);
    CHECK(kernel.tiles == tiles);
    CHECK(kernel.k_blocks == tiles * shape.k / 64);
    const double asked = static_cast<double>(tiles * shape.k / 64 * 16384);
    const double sums = tiles_cut(schedule) * 16384;
    CHECK(kernel.sums_read.value == sums);
    CHECK(kernel.l2_to_sm.value == asked + sums);
    CHECK(kernel.sm_intake.value == asked + sums);
    CHECK(kernel.l2_output <= kernel.l2_to_sm);  // rows are whole lines
    CHECK(kernel.dram_read.value == static_cast<double>((shape.m + shape.n) * shape.k * 2));
    // C still fits in L2 and evicts the previous run's C.
    CHECK(kernel.dram_write.value == static_cast<double>(shape.m * shape.n * 2));
  }
}

TEST_CASE("A multicast leaves L2 once and is filled into every SM of the cluster") {
  KernelConfig config = plain(Schedule::kWarpSpecialized);
  config.grid = Grid::kResident;
  config.tiling.cluster_m = 2;
  config.tiling.cluster_n = 2;
  const Simulated kernel = simulate_example(example_gpu(), fp16(256, 256, 512), config);
  // 16 tiles with 8 K blocks each, 8 KiB of A and of B, each shared by two CTAs.
  CHECK(kernel.sm_intake.value == 16 * 8 * 16384);
  CHECK(kernel.l2_to_sm.value == 16 * 8 * 16384 / 2);
  CHECK(kernel.tiles == 16);
}

TEST_CASE("No SM gets a second CTA before every SM has one, even with unequal GPCs") {
  GpuSpec gpu = only(Limiter::kTensor);
  gpu.sm.count = 6;  // three pairs: four SMs in one GPC, two in the other
  const KernelConfig config = plain(Schedule::kPipelined);
  for (i32 ctas = 1; ctas <= 6; ++ctas) {
    const GemmProblem problem = fp16(64, 64 * ctas, 1024);
    const Simulated kernel = simulate_gemm(gpu, problem, config, {1, 6}, kExampleClock);
    // 16 K blocks of 128 cycles; two CTAs on one SM would take turns.
    CHECK(kernel.cycles.value == Approx(16 * 128).epsilon(kWithin));
  }
}

TEST_CASE("A timeline has every part of every tile, with ordered times") {
  KernelConfig config = plain(Schedule::kWarpSpecialized);
  config.tiling.block_m = 128;
  config.tiling.warpgroups_m = 2;
  std::vector<TileSpan> tiles;
  Activity activity;
  const Simulated kernel = simulate_example(example_gpu(), fp16(256, 128, 256), config,
                                            {.activity = &activity, .tiles = &tiles});
  // Four tiles, each multiplied in two parts and loaded once.
  CHECK(tiles.size() == 2 * 2 * 2 + 4);
  i32 loaded = 0;
  for (const TileSpan& tile : tiles) {
    CHECK(tile.begin <= tile.first_operands);
    CHECK(tile.first_operands < tile.multiplied);
    CHECK(tile.stored < sim_time(kernel.time));
    if (tile.role == TileRole::kLoads) {
      ++loaded;
    } else {
      CHECK(tile.multiplied < tile.stored);
    }
  }
  CHECK(loaded == 4);
  config.store = Store::kDeferred;
  config.grid = Grid::kResident;
  tiles.clear();
  CHECK(simulate_example(example_gpu(), fp16(256, 128, 256), config, {.tiles = &tiles}).tiles ==
        kernel.tiles);
  CHECK(tiles.size() == 2 * 2 * 2 + 4);
  CHECK(activity.total(Resource::kDramRead) == static_cast<i64>(kernel.dram_read.value));
  CHECK(activity.total(Resource::kL2Output) == static_cast<i64>(kernel.l2_output.value));
  CHECK(activity.total(Resource::kFills) == static_cast<i64>(kernel.sm_intake.value));
  CHECK(activity.total(Resource::kOperandReads) == static_cast<i64>(kernel.operand_reads.value));
}

TEST_CASE("Watching a kernel does not change it") {
  const KernelConfig config = plain(Schedule::kPersistent);
  const GemmProblem problem = fp16(512, 512, 512);
  std::vector<TileSpan> tiles;
  Activity activity;
  const Simulated watched = simulate_example(example_gpu(), problem, config, {&activity, &tiles});
  const Simulated alone = simulate_example(example_gpu(), problem, config);
  CHECK(watched.cycles == alone.cycles);
  CHECK(watched.events == alone.events);
}

TEST_CASE("Equal inputs give equal results, on other threads too") {
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  const GemmProblem problem = fp16(777, 520, 392);
  const Simulated first = simulate_example(example_gpu(), problem, config);
  Simulated others[2];
  {
    std::jthread a([&] { others[0] = simulate_example(example_gpu(), problem, config); });
    std::jthread b([&] { others[1] = simulate_example(example_gpu(), problem, config); });
  }
  for (const Simulated& other : others) {
    CHECK(other.cycles == first.cycles);
    CHECK(other.l2_output == first.l2_output);
    CHECK(other.events == first.events);
  }
}

TEST_CASE("At a higher clock a DRAM-bound kernel takes more cycles, a tensor-bound one the same") {
  const KernelConfig config = config_of(Schedule::kWarpSpecialized);
  const auto at = [&](const GpuSpec& gpu, double hertz) {
    return simulate_gemm(gpu, problem_of(config.schedule), config, one_cta_per_sm(config),
                         Hertz{hertz})
        .cycles.value;
  };
  CHECK(at(only(Limiter::kTensor), 2e9) == Approx(at(only(Limiter::kTensor), 1e9)).epsilon(1e-4));
  CHECK(at(only(Limiter::kDram), 2e9) == Approx(2 * at(only(Limiter::kDram), 1e9)).epsilon(1e-4));
}
