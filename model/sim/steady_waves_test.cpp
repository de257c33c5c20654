// Kernels whose steady waves are left out, against the same ones simulated whole.
#include "model/sim/steady_waves.h"

#include <fmt/format.h>

#include <cmath>

#include "model/analytic/occupancy.h"
#include "model/sim/example_gpu.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

// What leaving waves out may change: the mean over the cases, and the worst one.
constexpr double kMeanCycles = 0.015, kWorstCycles = 0.08;
constexpr double kMeanDramRead = 0.03;

struct Case {
  GemmShape shape;
  const char* config;
};

// One tile in flight and two, CTAs and clusters, all orders of tiles, ragged edges.
constexpr Case kCases[] = {
    {{8192, 8192, 8192},
     "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
     "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided"},
    {{8192, 8192, 8192},
     "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
     "c_slots=2,producer=40,grid=resident,raster=hilbert,group=1,walk=strided"},
    {{16384, 8192, 4096},
     "warp_specialized:tile=256x128x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
     "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=1,walk=chunked"},
    {{8192, 8192, 8192},
     "ping_pong:tile=128x192x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
     "raster=grouped_m,group=8,walk=strided"},
    {{16384, 16384, 2048},
     "ping_pong:tile=128x128x64,stages=5,cluster=1x1,ctas=1,inflight=1,c_slots=4,producer=40,"
     "raster=grouped_n,group=4,walk=strided"},
    {{8200, 8200, 8200},
     "persistent_overlap:tile=128x224x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
     "c_slots=2,raster=grouped_m,group=16,walk=strided"},
    {{16384, 8192, 4096},
     "persistent_overlap:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
     "c_slots=0,raster=hilbert,group=1,walk=chunked"},
    {{8192, 8192, 8192},
     "persistent:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
     "raster=grouped_m,group=8,walk=strided"},
};

}  // namespace

TEST_CASE("Without its steady waves a kernel takes the same cycles, within a stated error") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  double cycles = 0, worst = 0, dram_read = 0;
  for (const Case& c : kCases) {
    CAPTURE(c.config);
    const KernelConfig config = parse_kernel_config(c.config);
    const GemmProblem problem = fp16(c.shape.m, c.shape.n, c.shape.k);
    const Residency residency{resident_ctas(gpu, config), resident_workers(gpu, config)};
    const auto simulate = [&](Waves waves) {
      return simulate_gemm(gpu, problem, config, residency, Hertz{1.5e9}, {}, waves);
    };
    const Simulated whole = simulate(Waves::kAll);
    const Simulated part = simulate(Waves::kSteadyLeftOut);
    CHECK(whole.waves_left_out == 0);
    CHECK(part.waves_left_out > 0);
    CHECK(part.events < whole.events);
    // What can be counted is counted.
    CHECK(part.tiles == whole.tiles);
    CHECK(part.k_blocks == whole.k_blocks);
    CHECK(part.operand_reads == whole.operand_reads);
    CHECK(part.l2_to_sm == whole.l2_to_sm);
    CHECK(part.sm_intake == whole.sm_intake);
    CHECK(part.tensor_share <= 1);
    const double error = std::abs(part.cycles / whole.cycles - 1);
    cycles += error / std::size(kCases);
    worst = std::max(worst, error);
    dram_read += std::abs(part.dram_read / whole.dram_read - 1) / std::size(kCases);
  }
  CAPTURE(cycles, worst, dram_read);
  CHECK(cycles < kMeanCycles);
  CHECK(worst < kWorstCycles);
  CHECK(dram_read < kMeanDramRead);
}

TEST_CASE("CTAs of one tile each drift apart from wave to wave, and are simulated whole") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const KernelConfig config = parse_kernel_config(
      "pipelined:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,"
      "raster=grouped_m,group=8");
  const Residency residency{resident_ctas(gpu, config), resident_workers(gpu, config)};
  // 64 x 64 tiles on 264 places: 15 whole waves of 264 x 64 K blocks, loaded and multiplied, are
  // 33,792 steps each. Seven are cheap, so of a resident grid 15 - 7 are left out.
  const Simulated part = simulate_gemm(gpu, fp16(8192, 8192, 4096), config, residency, Hertz{1.5e9},
                                       {}, Waves::kSteadyLeftOut);
  CHECK(part.waves_left_out == 0);
  const KernelConfig resident = parse_kernel_config(
      "persistent:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=2,"
      "raster=grouped_m,group=8,walk=strided");
  CHECK(simulate_gemm(gpu, fp16(8192, 8192, 4096), resident, residency, Hertz{1.5e9}, {},
                      Waves::kSteadyLeftOut)
            .waves_left_out == 8);
}

TEST_CASE("A kernel that is cheap to simulate is simulated whole") {
  const GpuSpec gpu = example_gpu();
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  // 64 x 64 tiles on 4 SMs: 1024 waves of 4 x 1 K block, loaded once and multiplied once: 8192.
  const GemmProblem problem = fp16(4096, 4096, 64);
  const Simulated part = simulate_gemm(gpu, problem, config, one_cta_per_sm(config), kExampleClock,
                                       {}, Waves::kSteadyLeftOut);
  CHECK(part.waves_left_out == 0);
  CHECK(part.cycles == simulate_example(gpu, problem, config).cycles);
}

TEST_CASE("A head, a tail and two waves more are the least that is worth it") {
  // 100 places and tiles so dear that five waves stand before the jump and one behind it.
  const auto left_out = [](u32 tiles) {
    const Raster raster{RasterKind::kGroupedM, 1, Walk::kStrided};
    return steady_waves(TileScheduler::of(tiles, 1, 100, raster), 100, 1'000'000).count;
  };
  CHECK(left_out(799) == 0);  // seven whole waves
  CHECK(left_out(800) == 2);
  CHECK(left_out(899) == 2);  // the last one is partial
  CHECK(left_out(900) == 3);
}

TEST_CASE("Cheaper tiles move the jump back, so that more is simulated") {
  const Raster raster{RasterKind::kGroupedM, 1, Walk::kStrided};
  const TileScheduler scheduler = TileScheduler::of(5000, 1, 100, raster);
  // 50 waves of 100 tiles of 250 steps: 10 of them are cheap, 9 and the tail.
  CHECK(steady_waves(scheduler, 100, 250).after == 9);
  CHECK(steady_waves(scheduler, 100, 250).count == 40);
  CHECK(steady_waves(scheduler, 100, 50).count == 0);  // 50 waves of 5000 steps
  CHECK(steady_waves(scheduler, 100, 51).count == 0);  // 49 are cheap, which leaves out too few
}
