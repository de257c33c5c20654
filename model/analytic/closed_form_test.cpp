#include "model/analytic/closed_form.h"

#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr double kNoLimit = 1e30;

/// An H200 whose only limit is the tensor cores' own rate.
GpuSpec tensor_only() {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  gpu.wgmma->operand_rate = {kNoLimit};
  gpu.wgmma->issue_overhead = {};
  gpu.wgmma->completion_latency = {};
  gpu.wgmma->block_turn = {};
  gpu.sm.intake = {kNoLimit};
  gpu.l2->output = {kNoLimit};
  gpu.dram->bandwidth = {kNoLimit};
  gpu.tma->l2_latency = gpu.tma->dram_latency = {};
  gpu.tma->issue = gpu.tma->multicast_latency = {};
  gpu.tma->misaligned_by_16 = gpu.tma->misaligned_by_32 = gpu.tma->misaligned_by_64 = 1;
  gpu.epilogue = EpilogueSpec{{}, {kNoLimit}, {}};
  gpu.launch = LaunchSpec{};
  return gpu;
}

constexpr const char* kFlagship =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=8";
constexpr Hertz kClock{1.5e9};

ClosedForm run(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  TrafficMemo traffic(*gpu.l2, problem);
  return closed_form(gpu, problem, config, gemm_work(gpu, problem, config, traffic), kClock);
}

GemmProblem problem(i64 m, i64 n, i64 k) { return {{m, n, k}, ElementType::kFp16, Layout::kTn}; }

TEST_CASE("With tensor cores the only limit, time is whole waves of tiles") {
  // 32 x 16 tiles on 132 SMs: 4 waves, each 64 K blocks of 2 x 128 x 256 x 64 / 4096 = 1024 cycles.
  const KernelConfig config = parse_kernel_config(kFlagship);
  const ClosedForm form = run(tensor_only(), problem(4096, 4096, 4096), config);
  CHECK(form.cycles.value == Approx(4 * 64 * 1024));
  CHECK(form.limiter == Limiter::kTensor);
  // Busy share: all FLOPs at the peak, 254200 cycles, over that.
  CHECK(form.shares.tensor == Approx(2.0 * 4096 * 4096 * 4096 / 132 / 4096 / (4 * 64 * 1024)));
}

TEST_CASE("One tile more than a wave costs a whole wave more") {
  const KernelConfig config = parse_kernel_config(kFlagship);
  const GpuSpec gpu = tensor_only();
  CHECK(run(gpu, problem(132 * 128, 256, 640), config).cycles.value == Approx(10 * 1024));
  CHECK(run(gpu, problem(133 * 128, 256, 640), config).cycles.value == Approx(20 * 1024));
}

TEST_CASE("Narrow wgmmas are bound by reading their operands") {
  // m64n64k16: 32 cycles of tensor work, (64 + 64) x 16 x 2 B = 4096 B at 128 B per cycle: 32; at
  // half that rate 64, twice as long.
  GpuSpec gpu = tensor_only();
  const KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=64x64x64,stages=8,warpgroups=1,cluster=1x1,ctas=1,inflight=1,"
      "raster=grouped_m,group=8");
  const GemmProblem p = problem(64, 64, 6400);
  gpu.wgmma->operand_rate = {128};
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 4 * 32));
  gpu.wgmma->operand_rate = {64};
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 4 * 64));
  CHECK(run(gpu, p, config).limiter == Limiter::kSharedMemory);
}

TEST_CASE("SM intake bounds a tile that asks for more bytes per cycle than an SM takes in") {
  // 128x256x64: 49152 B per 1024 cycles is 48 B per cycle. At 48 it just fits, at 24 it takes
  // twice.
  GpuSpec gpu = tensor_only();
  const KernelConfig config = parse_kernel_config(kFlagship);
  const GemmProblem p = problem(4096, 4096, 4096);
  gpu.sm.intake = {48};
  CHECK(run(gpu, p, config).limiter == Limiter::kTensor);
  gpu.sm.intake = {24};
  CHECK(run(gpu, p, config).cycles.value > 1.99 * 4 * 64 * 1024);
  CHECK(run(gpu, p, config).limiter == Limiter::kSmIntake);
}

TEST_CASE("A ring too short for the load latency waits for it") {
  // 2000 cycles of latency at 1.5 GHz; holding a stage takes them and the wgmmas of two K blocks:
  // (2000 + 2 x 1024) / 2 = 2024 per K block with two stages, under 1024 with four.
  GpuSpec gpu = tensor_only();
  gpu.tma->l2_latency = gpu.tma->dram_latency = Seconds{2000 / kClock.value};
  KernelConfig config = parse_kernel_config(kFlagship);
  const GemmProblem p = problem(128, 256, 64000);
  config.tiling.stages = 2;
  CHECK(run(gpu, p, config).cycles.value == Approx(2024 * 1000 + 2000));
  CHECK(run(gpu, p, config).limiter == Limiter::kLatency);
  config.tiling.stages = 4;
  CHECK(run(gpu, p, config).cycles.value == Approx(1024 * 1000 + 2000));
}

TEST_CASE("DRAM bounds a problem with little reuse, in nanoseconds and not in cycles") {
  GpuSpec gpu = tensor_only();
  gpu.dram = DramSpec{{1e12}, 0.5, 0.5};
  const KernelConfig config = parse_kernel_config(kFlagship);
  const GemmProblem p = problem(128, 13200, 6400);
  // (128 + 13200) x 6400 x 2 B read and 128 x 13200 x 2 B written at 0.5 TB/s.
  const double seconds = (13328.0 * 12800 + 128.0 * 26400) / 0.5e12;
  const ClosedForm form = run(gpu, p, config);
  CHECK(form.limiter == Limiter::kDram);
  CHECK(form.cycles.value == Approx(seconds * kClock.value));
}

TEST_CASE("Waiting for one's own wgmmas shows where no other warpgroup fills the gap") {
  // 128x128x64 is 512 cycles of wgmmas a K block; around them a warpgroup spends 100.
  GpuSpec gpu = tensor_only();
  gpu.wgmma->block_turn = {100};
  KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=128x128x64,stages=4,warpgroups=1,cluster=1x1,ctas=1,inflight=0,"
      "raster=grouped_m,group=8");
  const GemmProblem p = problem(128, 128, 6400);
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * (512 + 100)));
  config.inflight = 1;  // the next K block's wgmmas run meanwhile
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 512));
  config.inflight = 0;
  config.tiling.warpgroups = 2;  // 256 + 100 each, while the other's 256 run
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 512));
}

TEST_CASE("Without a producer warp the loads are in the warpgroup's own sequence") {
  // 64x64x64 is 128 cycles of wgmmas; the turn of 100 hides under them, 100 + 300 does not.
  GpuSpec gpu = tensor_only();
  gpu.wgmma->block_turn = {100};
  gpu.tma->issue = {300};
  KernelConfig config = parse_kernel_config(
      "warp_specialized:tile=64x64x64,stages=8,warpgroups=1,cluster=1x1,ctas=1,inflight=1,"
      "raster=grouped_m,group=8");
  const GemmProblem p = problem(64, 64, 6400);
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 128));
  config.schedule = Schedule::kPipelined;
  CHECK(run(gpu, p, config).cycles.value == Approx(100 * 400));
}

TEST_CASE("Rows off their 128-byte lines leave less of L2") {
  // 49152 B per SM and K block of 1024 cycles at 1.5 GHz from all 132 SMs is 9.504 TB/s.
  GpuSpec gpu = tensor_only();
  gpu.l2->merge_limit = 1;
  gpu.l2->output = {9.504e12};
  gpu.tma->misaligned_by_32 = 0.5;
  const KernelConfig config = parse_kernel_config(kFlagship);
  CHECK(run(gpu, problem(132 * 128, 256, 6400), config).cycles.value == Approx(100 * 1024));
  // 6416 x 2 bytes: an odd multiple of 32, and a 101st K block.
  const ClosedForm form = run(gpu, problem(132 * 128, 256, 6416), config);
  CHECK(form.cycles.value == Approx(101 * 2048));
  CHECK(form.limiter == Limiter::kL2);
}

TEST_CASE("B as [k,n] starts its rows at multiples of n, B as [n,k] at multiples of k") {
  // n of 208 is an odd multiple of 32 bytes, k of 6400 none. B is 256 of 384 rows of a K block (48
  // of 72 B per cycle asked, half delivered): (128 + 256 / 0.5) / 384 = 1.667 times as long.
  GpuSpec gpu = tensor_only();
  gpu.l2->merge_limit = 1;
  gpu.l2->output = {9.504e12 * 208 / 256};
  gpu.tma->misaligned_by_32 = 0.5;
  const KernelConfig config = parse_kernel_config(kFlagship);
  GemmProblem p = problem(132 * 128, 208, 6400);
  const double aligned = run(gpu, p, config).cycles.value;
  p.layout = Layout::kNn;
  CHECK(run(gpu, p, config).cycles.value == Approx(aligned * 640 / 384));
}

TEST_CASE(
    "DRAM traffic as long as the tiles costs a little more than either, a short one nothing") {
  // Equal: 2^(1/6) = 1.122 times; a tenth: (1 + 10^-6)^(1/6), not to be seen.
  GpuSpec gpu = tensor_only();
  const KernelConfig config = parse_kernel_config(kFlagship);
  const GemmProblem p = problem(132 * 128, 256, 6400);
  const double tiles = run(gpu, p, config).cycles.value;
  const double bytes = (132.0 * 128 + 256) * 12800 + 132.0 * 128 * 512;
  const double equal_rate = bytes / (tiles / kClock.value);
  gpu.dram = DramSpec{{equal_rate}, 1, 1};
  CHECK(run(gpu, p, config).cycles.value == Approx(tiles * 1.12246));
  gpu.dram = DramSpec{{equal_rate * 10}, 1, 1};
  CHECK(run(gpu, p, config).cycles.value == Approx(tiles));
}

TEST_CASE("What a schedule hides decides what a tile costs beyond its K blocks") {
  // Epilogue 1000 cycles; load latency 500 cycles; refill 300. One SM slot runs 4 tiles of 64 K
  // blocks. Before the first and after the last: 500 of latency.
  GpuSpec gpu = tensor_only();
  gpu.epilogue->fixed = {1000};
  gpu.tma->l2_latency = gpu.tma->dram_latency = Seconds{500 / kClock.value};
  gpu.launch->cta_refill = {300};
  KernelConfig config = parse_kernel_config(kFlagship);
  const GemmProblem p = problem(4096, 4096, 4096);
  const double main_loop = 4 * 64 * 1024;
  CHECK(run(gpu, p, config).cycles.value == Approx(main_loop + 4 * 1000 + 500));
  config.schedule = Schedule::kPersistent;
  CHECK(run(gpu, p, config).cycles.value == Approx(main_loop + 4 * 1500 + 500));
  config.schedule = Schedule::kPipelined;
  CHECK(run(gpu, p, config).cycles.value == Approx(main_loop + 4 * 1800 + 500));
}

}  // namespace
}  // namespace tilecast
