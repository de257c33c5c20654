// Simulates whole tcgen05 kernels. With all parts but one infinitely fast, each schedule takes that
// part's analytic time, for one CTA and for a pair; bytes match arithmetic.
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "model/gemm/config/schedule_text.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/sim/example_blackwell.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

constexpr double kWithin = 0.005;

// 8 x 4 tiles of 128 x 64 on 4 SMs, single or in pairs: 8 tiles per SM, with 16 K blocks each.
constexpr double kTiles = 8, kBlocks = 16;
GemmProblem problem() { return fp16(1024, 256, 1024); }

template <class Check>
void for_each_kernel(Check check) {
  for (const Schedule schedule : kTcgen05Schedules) {
    for (const i32 group : {1, 2}) {
      check(plain_tcgen05(schedule, group));
    }
  }
  KernelConfig takeover = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
  takeover.grid = Grid::kTakeover;
  check(takeover);
  takeover.tiling.cluster_m = 2;
  check(takeover);
}

double cycles(const GpuSpec& gpu, const KernelConfig& config) {
  return simulate_example(gpu, problem(), config).cycles.value;
}

bool specialized(const KernelConfig& config) { return has_producer_warpgroup(config.schedule); }

// Number of rows of A and of B that a CTA loads per K block.
double rows(const KernelConfig& config) { return 128 + 64.0 / cta_group(config.tiling); }

}  // namespace

TEST_CASE("Bound by one part alone, a tcgen05 kernel takes the time of that part") {
  for_each_kernel([](const KernelConfig& config) {
    const auto bound_by = [&](Limiter part) { return cycles(only_on_blackwell({part}), config); };
    // Four MMAs of 128 x 64 x 16 take 32 cycles at 8192 FLOPs.
    CHECK(bound_by(Limiter::kTensor) == Approx(kTiles * kBlocks * 4 * 32).epsilon(kWithin));
    // 32 bytes of each row at 128 B per cycle: 48 cycles for a single CTA; 40 in a pair, where a
    // CTA reads half of B.
    CHECK(bound_by(Limiter::kSharedMemory) ==
          Approx(kTiles * kBlocks * 4 * rows(config) * 32 / 128).epsilon(kWithin));
    // 128 bytes of each row at 64 B per cycle, plus C's 16 KiB through the same port.
    CHECK(bound_by(Limiter::kSmIntake) ==
          Approx(kTiles * (kBlocks * rows(config) * 2 + 256)).epsilon(kWithin));
    // All SMs' bytes, divided by L2's rate.
    CHECK(bound_by(Limiter::kL2) ==
          Approx(4 * kTiles * kBlocks * rows(config) * 128 / 256).epsilon(kWithin));
    const double bytes = (1024 + 256) * 1024 * 2 + 1024 * 256 * 2;  // bytes of A, B and C
    CHECK(bound_by(Limiter::kDram) == Approx(bytes / 100).epsilon(kWithin));
  });
}

TEST_CASE("Bound by load latency alone, a ring hides as many latencies as it has spare stages") {
  for_each_kernel([](KernelConfig config) {
    config.inflight = 0;
    GpuSpec gpu = only_on_blackwell({Limiter::kLatency});
    gpu.machine->dram_latency = {};
    gpu.tcgen05->latency = gpu.tcgen05->pair_latency = {};
    // A loading warp requests a stage as soon as it is empty: 400 ns per four K blocks. The issuing
    // warp requests it one K block later: a tile's first four loads arrive together, then three at
    // a time.
    const double latencies = specialized(config) ? kTiles * kBlocks / 4 : kTiles * (1 + 12.0 / 3);
    CHECK(cycles(gpu, config) == Approx(latencies * 400).epsilon(kWithin));
  });
}

TEST_CASE("K blocks wait for completion beyond the number in flight") {
  for_each_kernel([](KernelConfig config) {
    GpuSpec gpu = only_on_blackwell({Limiter::kTensor, Limiter::kLatency, Limiter::kInstructions});
    gpu.machine->l2_latency = {};
    gpu.machine->dram_latency = {};
    gpu.machine->issue = {};
    const double latency = cta_group(config.tiling) == 2 ? 170 : 130;
    const auto k_block = [&](i32 inflight) {
      config.inflight = inflight;
      return simulate_example(gpu, fp16(256, 64, 400 * 64), config).cycles.value / 400;
    };
    // A K block takes 10 cycles of instructions, 128 of MMAs, then the commit's latency. With one K
    // block in flight every second block waits, with two every third.
    CHECK(k_block(0) == Approx(10 + 128 + latency).epsilon(kWithin));
    CHECK(k_block(1) == Approx((10 + 128 + latency) / 2).epsilon(2 * kWithin));
    CHECK(k_block(2) == Approx(128).epsilon(2 * kWithin));
  });
}

TEST_CASE("Bound by its epilogues alone, a tcgen05 kernel runs them in sequence") {
  for_each_kernel([](const KernelConfig& config) {
    // A chunk of 128 x 64 takes 200, then 32 KiB of accumulators at 4096 B per cycle, then twice
    // 100. It is read from its slot 16 KiB / 32 + 150 later. A CTA with one tile ends then. Others
    // refill their stages; then only the accumulator read and the chunk's 200 are exposed.
    const double expected =
        config.grid == Grid::kTiles ? kTiles * (408 + 662) : 408 + (kTiles - 1) * (662 + 208) + 662;
    CHECK(cycles(only_on_blackwell({Limiter::kEpilogue}), config) ==
          Approx(expected).epsilon(kWithin));
  });
}

TEST_CASE("Split in four along K, a tile takes a quarter of its MMAs and the sum of its parts") {
  KernelConfig config = plain_tcgen05(Schedule::kTcgen05SplitK);
  config.decomposition.splits = 4;
  const auto alone = [&](Limiter part, Reduction reduction) {
    config.decomposition.reduction = reduction;
    GpuSpec gpu = only_on_blackwell({part});
    if (part == Limiter::kReduction) {
      gpu.reduction->chip_store = gpu.reduction->chip_add = {1e30};
    }
    return simulate_example(gpu, fp16(128, 64, 1024), config);
  };
  CHECK(alone(Limiter::kTensor, Reduction::kAtomic).cycles.value ==
        Approx(kBlocks / 4 * 4 * 32).epsilon(kWithin));
  // A partial sum is 32 KiB: 1024 cycles at 32 B per cycle. A hop takes 500, and so does one step
  // of reading; a warpgroup's thread has two steps. The piece that reads an atomic sum clears it.
  CHECK(alone(Limiter::kReduction, Reduction::kTurnstile).cycles.value ==
        Approx(1024 + 2 * (500 + 1024) + 500 + 2 * 500).epsilon(kWithin));
  const Simulated atomic = alone(Limiter::kReduction, Reduction::kAtomic);
  CHECK(atomic.cycles.value == Approx(1024 + 500 + 2 * 500 + 1024).epsilon(kWithin));
  CHECK(atomic.sums_written.value == 4 * 32768);
  CHECK(atomic.sums_read.value == 32768);
  CHECK(atomic.tiles == 1);
  CHECK(atomic.k_blocks == 16);
}

TEST_CASE("A second accumulator overlaps the epilogue with the next tile's MMAs") {
  const GpuSpec gpu = only_on_blackwell({Limiter::kTensor, Limiter::kEpilogue});
  KernelConfig config = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
  const double mmas = kBlocks * 128;
  // The last tile's epilogue remains exposed: 408 and 662.
  CHECK(cycles(gpu, config) == Approx(kTiles * mmas + 1070).epsilon(kWithin));
  config.accumulators = 1;
  // Accumulators are read in the middle of the chunk: 200 + 8 + 100 between two tiles.
  CHECK(cycles(gpu, config) == Approx(kTiles * (mmas + 308) - 308 + 1070).epsilon(kWithin));
}

TEST_CASE("MMAs take bandwidth of tensor memory's port from storing warps") {
  const KernelConfig config = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
  const KernelCosts costs =
      kernel_costs(example_blackwell(), fp16(256, 256, 256), config, 4, false, kExampleClock);
  // 32 KiB at 4096 B per cycle. An MMA reads 32 KiB of accumulators in 48 cycles, 683 B per cycle.
  CHECK(costs.tensor_memory.read == SimTime{8000});
  CHECK(static_cast<double>(costs.tensor_memory.read_shared.ps) ==
        Approx(32768 / (4096 - 32768 / 48.0) * 1000).epsilon(1e-3));
}

TEST_CASE("Every tile is stored once, and a pair loads B once") {
  for_each_kernel([](const KernelConfig& config) {
    std::vector<TileSpan> spans;
    const Simulated kernel =
        simulate_example(example_blackwell(), problem(), config, {.tiles = &spans});
    CHECK(kernel.tiles == 32);
    CHECK(kernel.k_blocks == 32 * 16);
    std::set<std::pair<u32, u32>> stored;
    for (const TileSpan& span : spans) {
      if (span.role == TileRole::kMultiplies) {
        stored.insert({span.tile_m, span.tile_n});
        CHECK(span.begin <= span.first_operands);
        CHECK(span.first_operands < span.multiplied);
        CHECK(span.multiplied < span.stored);
      }
    }
    CHECK(stored.size() == 32);
    const double bytes = 32 * 16 * rows(config) * 128;
    CHECK(kernel.l2_to_sm.value == bytes);
    CHECK(kernel.sm_intake.value == bytes);
    CHECK(kernel.operand_reads.value == bytes);
    CHECK(kernel.dram_read.value == (1024 + 256) * 1024 * 2);
    CHECK(kernel.dram_write.value == 1024 * 256 * 2);
  });
}

TEST_CASE("The MMAs of a pair's two CTAs complete together, tile by tile") {
  for_each_kernel([](const KernelConfig& config) {
    if (cta_group(config.tiling) == 1) {
      return;
    }
    std::vector<TileSpan> spans;
    const Simulated kernel =
        simulate_example(example_blackwell(), problem(), config, {.tiles = &spans});
    std::map<i32, std::vector<std::array<i64, 3>>> of;  // by CTA
    std::map<i32, SimTime> stored;
    for (const TileSpan& s : spans) {
      if (s.role == TileRole::kMultiplies) {
        of[s.cta].push_back({i64{s.tile_m / 2}, i64{s.tile_n}, s.multiplied.ps});
        stored[s.cta] += s.stored - s.multiplied;
      }
    }
    CHECK(of.size() == 4);
    for (const i32 leader : {0, 2}) {
      CHECK(of[leader].size() == 8);
      CHECK(of[leader] == of[leader + 1]);
      // A leader's loads also wait for its MMAs and come slightly later than its peer's, so the two
      // epilogues find different queues at the shared-memory port.
      const double apart = seconds_of(stored[leader] - stored[leader + 1]) / kernel.time;
      CHECK(std::abs(apart) < (specialized(config) ? 1e-9 : 0.05));
    }
  });
}

TEST_CASE("With tile takeover, SMs of unequal clocks finish at the same time") {
  GpuSpec gpu = only_on_blackwell({Limiter::kTensor});
  gpu.machine->gpc_clock_spread = 0.1;
  KernelConfig config = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
  const GemmProblem many = fp16(128 * 20, 64 * 20, 1024);
  // 100 tiles per SM of 16 x 128 cycles. With static tiles the SMs at 0.9 GHz end last. With
  // takeover those at 1.1 GHz do more: 4 GHz in all.
  const double dealt = simulate_example(gpu, many, config).cycles.value;
  CHECK(dealt == Approx(100 * 2048 / 0.9).epsilon(kWithin));
  config.grid = Grid::kTakeover;
  std::vector<TileSpan> spans;
  const Simulated taken = simulate_example(gpu, many, config, {.tiles = &spans});
  CHECK(taken.cycles.value == Approx(100 * 2048).epsilon(0.01));
  std::map<i32, int> tiles_of;  // by SM
  for (const TileSpan& s : spans) {
    tiles_of[s.sm] += s.role == TileRole::kMultiplies ? 1 : 0;
  }
  for (const auto& [sm, tiles] : tiles_of) {
    CHECK(std::abs(tiles - (sm < 2 ? 90 : 110)) <= 2);
  }
}

TEST_CASE("CTAs that do not fit in tensor memory together are rejected") {
  KernelConfig config = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
  config.tiling.block_n = 128;  // two accumulators take 256 of 512 columns
  CHECK(simulate_gemm(example_blackwell(), problem(), config, {2, 8}, kExampleClock).tiles == 16);
  CHECK_THROWS_AS(simulate_gemm(example_blackwell(), problem(), config, {3, 12}, kExampleClock),
                  ConfigError);
}

TEST_CASE("Skipping steady waves changes little, and no counts of tiles") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  const GemmProblem large = fp16(16384, 8192, 4096);
  u32 left_out = 0;
  for (const i32 group : {1, 2}) {
    for (const Schedule schedule : kTcgen05Schedules) {
      KernelConfig config = plain_tcgen05(schedule, group);
      config.tiling.block_n = 256;
      config.inflight = 1;
      config.raster.group = 8;
      config.grid = schedule == Schedule::kTcgen05WarpSpecialized ? Grid::kTakeover : config.grid;
      const auto simulated = [&](Waves waves) {
        return simulate_gemm(gpu, large, config, {1, 148 / group}, Hertz{1.8e9}, {}, waves);
      };
      const Simulated all = simulated(Waves::kAll);
      const Simulated some = simulated(Waves::kSteadyLeftOut);
      left_out += some.waves_left_out;
      CHECK(some.cycles / all.cycles == Approx(1).epsilon(0.05));  // currently 4.5 % at worst
      CHECK(some.tiles == all.tiles);
      CHECK(some.k_blocks == all.k_blocks);
      CHECK(some.l2_to_sm == all.l2_to_sm);
      CHECK(some.sm_intake == all.sm_intake);
      CHECK(some.operand_reads == all.operand_reads);
    }
  }
  CHECK(left_out > 0);
}

TEST_CASE("A published main loop on one SM of a B200 takes its measured time") {
  // https://github.com/SemiAnalysisAI/microbench-blackwell, cutlass_gemm_mainloop: tile 128x256x64,
  // K = 131072. machine.request was fitted to four stages; the load latency is one number fitted to
  // two and three stages.
  const GpuSpec gpu = load_gpu("b200", false).spec;
  const auto k_block = [&](i32 stages) {
    KernelConfig config = plain_tcgen05(Schedule::kTcgen05WarpSpecialized);
    config.tiling.block_n = 256;
    config.tiling.stages = stages;
    config.inflight = 1;
    config.accumulators = 1;
    return simulate_gemm(gpu, fp16(128, 256, 131072), config, {1, 1}, Hertz{1.965e9}).time.value *
           1e9 / 2048;
  };
  CHECK(k_block(2) == Approx(750.7).epsilon(0.04));
  CHECK(k_block(3) == Approx(507.0).epsilon(0.06));  // currently -5 %
  CHECK(k_block(4) == Approx(401.0).epsilon(0.08));
}
