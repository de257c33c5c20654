// Compares simulations that skip steady waves with whole simulations.
#include "model/gemm/sim/kernel/steady_waves.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/gemm/costs/occupancy.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

using namespace tilecast;

namespace {

/// Tolerated error of skipping waves: the mean over some cases, and the worst one.
struct Bounds {
  double mean_cycles, worst_cycles, mean_dram_read;
};

struct Case {
  GemmShape shape;
  const char* config;
};

// Bounds for persistent grids: one and two tiles in flight, CTAs and clusters, all tile orders,
// ragged edges.
constexpr Bounds kOfResident{0.006, 0.03, 0.08};
constexpr Case kResident[] = {
    {{8192, 8192, 8192}, "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8"},
    {{8192, 8192, 8192}, "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 h"},
    {{16384, 8192, 4096}, "ws 256x128x64 s4 w2x1 c1x2 o1 i1 e2 m1k"},
    {{8192, 8192, 8192}, "pp 128x192x64 s4 w1x1 c2x1 o1 i1 e2 m8"},
    {{16384, 16384, 2048}, "pp 128x128x64 s5 w1x1 c1x1 o1 i1 e4 n4"},
    {{8200, 8200, 8200}, "po 128x224x64 s4 w2x1 c2x1 o1 i1 e2 m16"},
    {{16384, 8192, 4096}, "po 128x256x64 s4 w2x1 c1x1 o1 i1 e0 hk"},
    {{8192, 8192, 8192}, "pe 128x256x64 s3 w2x1 c1x1 o1 i1 e2 m8"},
};

// Bounds for hybrids, which split some tiles along K before whole waves: both ways, all reductions,
// CTAs and clusters.
constexpr Bounds kOfHybrids{0.01, 0.03, 0.085};
constexpr Case kHybrids[] = {
    {{8192, 8192, 8192}, "skh 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k8+t"},
    {{8192, 8192, 4096}, "skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m4 k8+a"},
    {{16384, 16384, 1024}, "sph 128x192x64 s4 w2x1 c1x2 o1 i1 e2 n8 k2s"},
    {{8200, 8200, 8200}, "sph 128x128x64 s4 w2x1 c2x1 o1 i1 e2 h k2t"},
};

// Bounds for one tile per CTA: SMs with one and two CTAs, clusters, rates that settle early and
// late. DRAM reads deviate most (by 20 and 34 %), if drifting CTAs reread a panel. Cycles deviate
// most in the first case (1.3 %), whose CTAs change their pace after twenty waves.
constexpr Bounds kOfTiles{0.0075, 0.025, 0.12};
constexpr Case kTiles[] = {
    {{16384, 16384, 2048}, "pi 128x128x64 s3 w1x1 c1x1 o2 i1 e0 m8"},
    {{8192, 8192, 8192}, "pi 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8"},
    {{16384, 16384, 16384}, "pi 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8"},
    {{16384, 8192, 8192}, "bp 128x128x64 s2 w2x1 c1x1 o2 i1 e0 m8"},
    {{16384, 8192, 4096}, "ws1 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8"},
    {{16384, 16384, 1024}, "ws1 128x128x64 s3 w2x1 c1x2 o2 i1 e0 m8"},
};

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

void check_against_whole(const GpuSpec& gpu, std::span<const Case> cases, const Bounds& bounds) {
  double cycles = 0, worst = 0, dram_read = 0;
  for (const Case& c : cases) {
    CAPTURE(c.config);
    const KernelConfig config = gemm_config(c.config);
    const GemmProblem problem = fp16(c.shape.m, c.shape.n, c.shape.k);
    const auto simulate = [&](Waves waves) {
      return simulate_gemm(gpu, problem, config, residency_of(gpu, config), Hertz{1.5e9}, {},
                           waves);
    };
    const Simulated whole = simulate(Waves::kAll);
    const Simulated part = simulate(Waves::kSteadyLeftOut);
    CHECK(whole.waves_left_out == 0);
    CHECK(part.waves_left_out > 0);
    CHECK(part.events < whole.events);
    // Counts must be exact.
    CHECK(part.tiles == whole.tiles);
    CHECK(part.k_blocks == whole.k_blocks);
    CHECK(part.operand_reads == whole.operand_reads);
    CHECK(part.l2_to_sm == whole.l2_to_sm);
    CHECK(part.sm_intake == whole.sm_intake);
    CHECK(part.tensor_share <= 1);
    const double error = std::abs(part.cycles / whole.cycles - 1);
    const double count = static_cast<double>(cases.size());
    cycles += error / count;
    worst = std::max(worst, error);
    dram_read += std::abs(part.dram_read / whole.dram_read - 1) / count;
  }
  CAPTURE(cycles, worst, dram_read);
  CHECK(cycles < bounds.mean_cycles);
  CHECK(worst < bounds.worst_cycles);
  CHECK(dram_read < bounds.mean_dram_read);
}

SkippedWaves left_out(u32 tiles, i64 steps_per_tile) {
  return steady_waves({.count = tiles / 100, .tiles = 100, .begin = 0, .chunked = false},
                      steps_per_tile);
}

}  // namespace

TEST_CASE("Skipping steady waves preserves cycles within a stated error") {
  SECTION("resident grids") { check_against_whole(h200(), kResident, kOfResident); }
  SECTION("hybrids that split K") { check_against_whole(h200(), kHybrids, kOfHybrids); }
  SECTION("one tile per CTA") { check_against_whole(h200(), kTiles, kOfTiles); }
}

TEST_CASE("Waves of groups are skipped if similar ones are simulated, within the same error") {
  const KernelConfig config = gemm_config(kResident[0].config);
  const auto check = [&](std::vector<i64> rows, bool leaves_out) {
    const GemmProblem problem = in_groups(fp16(1, 4096, 4096), std::move(rows));
    const auto simulate = [&](Waves waves) {
      return simulate_gemm(h200(), problem, config, residency_of(h200(), config), Hertz{1.5e9}, {},
                           waves);
    };
    const Simulated part = simulate(Waves::kSteadyLeftOut), whole = simulate(Waves::kAll);
    CAPTURE(part.cycles / whole.cycles, part.dram_read / whole.dram_read, part.waves_left_out);
    CHECK((part.waves_left_out > 0) == leaves_out);
    CHECK(part.cycles / whole.cycles == Approx(1).margin(kOfResident.worst_cycles));
    CHECK(part.dram_read / whole.dram_read == Approx(1).margin(0.15));
    CHECK(part.k_blocks == whole.k_blocks);
    CHECK(part.l2_to_sm == whole.l2_to_sm);
  };
  SECTION("groups with about equal numbers of rows") {
    check({3000, 2600, 3300, 2900, 3100, 2700, 3200, 2800}, true);
  }
  // 8,192 rows share a B; after them, 256 groups of 16 rows, each with a separate B, fill the last
  // tiles.
  std::vector<i64> few(64, 16);
  few.front() = 16384;
  SECTION("groups with fewer rows than a tile, after a large group") { check(few, false); }
}

TEST_CASE("CTAs with one tile that drift apart to the end are all simulated") {
  // 64 x 64 tiles on 264 slots are 15 whole waves, each longer than the one before.
  const KernelConfig config = gemm_config("pi 128x128x64 s2 w1x1 c1x1 o2 i1 e0 m4");
  const auto simulate = [&](Waves waves) {
    return simulate_gemm(h200(), fp16(8192, 8192, 4096), config, residency_of(h200(), config),
                         Hertz{1.5e9}, {}, waves);
  };
  const Simulated part = simulate(Waves::kSteadyLeftOut);
  CHECK(part.waves_left_out == 0);
  CHECK(part.cycles == simulate(Waves::kAll).cycles);
}

TEST_CASE("A rate has settled when four waves take as long as the four before") {
  const auto settles_at = [](auto length_of_wave) {
    SettledRate rate;
    Progress now{};
    for (u32 wave = 0; wave < 100; ++wave) {
      if (rate.settled(wave, now)) {
        const SteadyMarks marks = rate.marks();
        CHECK(marks.waves == 8);
        CHECK(marks.at_end.at == now.at);
        return wave;
      }
      now.at += SimTime{length_of_wave(wave)};
    }
    return ~u32{0};
  };
  // Waves 1 to 8 are compared, so wave 9 is the first that may be skipped.
  CHECK(settles_at([](u32) { return 1000; }) == 9);
  CHECK(settles_at([](u32 wave) { return wave == 0 ? 3000 : 1000; }) == 9);
  // Waves up to 5 take 900 each, so waves 6 to 9 and 10 to 13 are the first equal waves.
  CHECK(settles_at([](u32 wave) { return wave <= 5 ? 900 : 1000; }) == 14);
  // Each wave takes 0.1 % more than the last one, 0.4 % over four waves; 0.15 % is too much.
  CHECK(settles_at([](u32 wave) { return 1'000'000 + i64{wave} * 1000; }) == 9);
  CHECK(settles_at([](u32 wave) { return 1'000'000 + i64{wave} * 1500; }) == ~u32{0});
}

TEST_CASE("A kernel that is cheap to simulate is simulated whole") {
  const GpuSpec gpu = example_gpu();
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  // 64 x 64 tiles on 4 SMs are 1024 waves of 4 x 1 K block, each loaded once and multiplied once:
  // 8192 steps.
  const GemmProblem problem = fp16(4096, 4096, 64);
  const Simulated part = simulate_gemm(gpu, problem, config, one_cta_per_sm(config), kExampleClock,
                                       {}, Waves::kSteadyLeftOut);
  CHECK(part.waves_left_out == 0);
  CHECK(part.cycles == simulate_example(gpu, problem, config).cycles);
}

TEST_CASE("Skipping needs a head, a tail and two more waves") {
  // 100 slots, and tiles so expensive that only four waves precede the jump and one follows it.
  CHECK(left_out(699, 1'000'000).count == 0);  // six whole waves
  CHECK(left_out(700, 1'000'000).count == 2);
  CHECK(left_out(799, 1'000'000).count == 2);  // the last one is partial
  CHECK(left_out(800, 1'000'000).count == 3);
}

TEST_CASE("With cheaper tiles the jump comes later, so that more is simulated") {
  // 50 waves of 100 tiles with 250 steps each: ten waves are cheap to simulate, so nine and the
  // tail are.
  CHECK(left_out(5000, 250).after == 9);
  CHECK(left_out(5000, 250).count == 40);
  CHECK(left_out(5000, 50).count == 0);  // 50 waves of 5000 steps
  CHECK(left_out(5000, 51).count == 0);  // 49 waves are cheap, so too few would be skipped
}

TEST_CASE("Split tiles take the place of the first wave, and count as simulated steps") {
  // After 150 split tiles come four waves and the tail. At 250 steps per tile the split tiles take
  // 37,500 of the 250,000 steps, which leaves 8.5 waves of 25,000.
  const WholeWaves behind{.count = 20, .tiles = 100, .begin = 150, .chunked = false};
  CHECK(steady_waves(behind, 1'000'000).after == 4);
  CHECK(steady_waves(behind, 1'000'000).count == 15);
  CHECK(steady_waves(behind, 250).after == 7);
  CHECK(steady_waves(behind, 250).count == 12);
}

TEST_CASE("Whole waves consist of tiles that are not split") {
  const Raster strided{RasterKind::kGroupedM, 1, Walk::kStrided};
  const TileScheduler scheduler = TileScheduler::of(950, 1, 100, strided);
  const auto of = [&](const WorkDecomposition& work) { return whole_waves(scheduler, work, 100); };
  CHECK(of(WorkDecomposition::data_parallel(950, 16, 100)).count == 9);
  // The last 50 tiles are split; with stream-K one more wave is.
  const WholeWaves split = of(WorkDecomposition::split_k_hybrid(950, 16, 100, 2));
  CHECK(split.count == 9);
  CHECK(split.begin == 50);
  const WholeWaves streamed = of(WorkDecomposition::stream_k_hybrid(950, 16, 100, 2));
  CHECK(streamed.count == 8);
  CHECK(streamed.begin == 150);
  CHECK(of(WorkDecomposition::split_k(950, 16, 100, 2)).count == 0);
  // Chunks of ten for 95 workers: ten waves.
  const Raster chunked{RasterKind::kGroupedM, 1, Walk::kChunked};
  const WholeWaves chunks = whole_waves(TileScheduler::of(950, 1, 100, chunked),
                                        WorkDecomposition::data_parallel(950, 16, 100), 100);
  CHECK(chunks.count == 10);
  CHECK(chunks.tiles == 95);
  CHECK(chunks.chunked);
}
