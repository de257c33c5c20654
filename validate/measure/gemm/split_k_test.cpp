// Random ways to split K of random problems. A and B contain -1, 0 and 1, and K is at most 2048, so
// every partial sum is an integer that fp16 represents exactly. Sums then have the same bits in
// every order and equal those of the data-parallel kernel.

#include <array>
#include <cstdio>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "kernels/verify/check_output.h"
#include "model/gemm/menu/legality.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/h200.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

constexpr int kDraws = 10'000;
constexpr int kFewestLegal = 8'000;
constexpr int kFewestOfEach = 700;  // checks per schedule, and per reduction
constexpr int kFewestMixed = 100;   // checks in which some tiles are whole and others are split
constexpr i64 kMostK = 2048;
constexpr u64 kMostSide = 512;
constexpr u64 kMostWideSide = 1536;  // tiles for several waves of the smallest tile
constexpr i64 kGuard = 1024;         // elements after C that must not change

constexpr const char* kTiles[] = {
    "tile=64x64x32,stages=6,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40",
    "tile=128x64x32,stages=5,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40",
    "tile=64x128x64,stages=4,warpgroups=1x2,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40",
    "tile=128x128x32,stages=6,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40",
};
constexpr std::size_t kTileCount = std::size(kTiles);
constexpr Schedule kSplitting[] = {Schedule::kSplitK, Schedule::kSplitKHybrid, Schedule::kStreamK,
                                   Schedule::kStreamKHybrid};

KernelConfig data_parallel(std::size_t tile) {
  return parse_kernel_config(std::string("warp_specialized:") + kTiles[tile] +
                             ",grid=resident,raster=grouped_m,group=8,walk=strided");
}

struct Draw {
  std::size_t tile;
  GemmProblem problem;
  KernelConfig config;
};

/// Draws any shape, number of parts, order and reduction that the schedule has; the result may be
/// illegal.
Draw draw_triple(std::mt19937& random) {
  const auto up_to = [&](u64 most) { return drawn_up_to(static_cast<i64>(most), random); };
  const std::size_t tile = random() % kTileCount;
  const bool wide = random() % 4 == 0;
  const u64 most = wide ? kMostWideSide : kMostSide;
  const i64 m = up_to(most), n = up_to(most), k = 8 * up_to(kMostK / 8);
  KernelConfig config = data_parallel(tile);
  config.schedule = kSplitting[random() % std::size(kSplitting)];
  const bool equally = splits_equally(config.schedule);
  const i32 number = static_cast<i32>(up_to(12));
  config.decomposition = {equally ? number : 0, equally ? 0 : number,
                          std::array{Reduction::kTurnstile, Reduction::kAtomic,
                                     Reduction::kSpread}[random() % (equally ? 3 : 2)]};
  config.raster = {random() % 2 == 0 ? RasterKind::kGroupedM : RasterKind::kGroupedN,
                   static_cast<i32>(up_to(8)), Walk::kStrided};
  return {tile, {{m, n, k}, ElementType::kFp16, Layout::kTn}, config};
}

std::vector<Draw> legal_draws(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Draw> legal;
  for (int i = 0; i < kDraws; ++i) {
    const Draw draw = draw_triple(random);
    if (check_legal(h200(), draw.problem, draw.config) == Refusal::kNone) {
      legal.push_back(draw);
    }
  }
  return legal;
}

/// The kernels with one tile size, shared by all problems.
struct TileKernels {
  LoadedKernel whole, split;
};

struct Outcome {
  u64 different;  // elements of C or of its guard that differ from the data-parallel kernel's
  bool mixed;     // some tiles are split, some are whole
};

/// Launches twice: the second launch starts with the workspace that the first one leaves.
Outcome compare(GpuTestBench& bench, TileKernels& kernels, const Draw& draw,
                const DeviceMemory& expected, const DeviceMemory& different) {
  const cudaStream_t stream = bench.stream.get();
  const i64 elements = draw.problem.shape.m * draw.problem.shape.n + kGuard;
  const auto run = [&](const GemmLaunch& launch, const DeviceMemory& c) {
    TILECAST_CUDA(
        cudaMemsetAsync(c.as<void>(), kPoisonByte, static_cast<std::size_t>(elements) * 2, stream));
    launch.launch(launch.bind({bench.a.as<void>(), bench.b.as<void>(), c.as<void>()}), stream);
  };
  run(GemmLaunch(kernels.whole, draw.problem, data_parallel(draw.tile)), expected);
  const GemmLaunch launch(kernels.split, draw.problem, draw.config);
  TILECAST_CUDA(cudaMemsetAsync(different.as<void>(), 0, sizeof(u64), stream));
  for (int i = 0; i < 2; ++i) {
    run(launch, bench.c);
    bench.kernels.check_same(bench.c.as<void>(), expected.as<void>(), static_cast<u64>(elements),
                             different.as<u64>(), stream);
  }
  const WorkDecomposition& work = launch.work();
  return {copy_to_host(different.as<u64>(), 1, stream).front(),
          work.streamed > 0 && work.streamed < work.tiles};
}

}  // namespace

TEST_CASE("Most random decompositions are legal, and cover every schedule and reduction") {
  const std::vector<Draw> draws = legal_draws(daily_seed("decompositions, drawn only"));
  std::map<Schedule, int> of_schedule;
  std::map<Reduction, int> of_reduction;
  for (const Draw& draw : draws) {
    ++of_schedule[draw.config.schedule];
    ++of_reduction[draw.config.decomposition.reduction];
  }
  std::printf("%zu of %d are legal; spread: %d\n", draws.size(), kDraws,
              of_reduction[Reduction::kSpread]);
  CHECK(static_cast<int>(draws.size()) >= kFewestLegal);
  for (const Schedule schedule : kSplitting) {
    CHECK(of_schedule[schedule] >= kFewestOfEach);
  }
  CHECK(of_reduction.size() == 3);
  for (const auto& [reduction, count] : of_reduction) {
    CHECK(count >= kFewestOfEach);
  }
}

TEST_CASE("Ten thousand random decompositions finish, with the data-parallel kernel's result",
          "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const std::vector<Draw> draws = legal_draws(daily_seed("decompositions"));
  const i64 side = static_cast<i64>(kMostWideSide);
  bench.prepare({{side, side, kMostK}, ElementType::kFp16, Layout::kTn}, Inputs::kTernary);
  const auto c_bytes = static_cast<std::size_t>((side * side + kGuard) * 2);
  bench.c.reserve(c_bytes);
  const DeviceMemory expected(c_bytes), different(sizeof(u64));
  std::vector<TileKernels> kernels;
  for (std::size_t tile = 0; tile < kTileCount; ++tile) {
    KernelConfig split = data_parallel(tile);
    split.schedule = Schedule::kSplitK;  // one kernel for all schedules that split K
    kernels.push_back({bench.load(data_parallel(tile)), bench.load(split)});
  }
  int ran = 0, mixed = 0;
  for (const Draw& draw : draws) {
    const std::string what = to_text(draw.problem) + " " + to_text(draw.config);
    const HangGuard guard(what);
    INFO(what);
    const Outcome outcome = compare(bench, kernels[draw.tile], draw, expected, different);
    REQUIRE(outcome.different == 0);
    ++ran;
    mixed += outcome.mixed ? 1 : 0;
  }
  std::printf("%d decompositions ran, %d with whole tiles too\n", ran, mixed);
  CHECK(ran >= kFewestLegal);
  CHECK(mixed >= kFewestMixed);
}
