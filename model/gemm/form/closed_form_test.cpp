#include "model/gemm/form/closed_form.h"

#include <cmath>

#include "model/gemm/sim/example_blackwell.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr double kNoLimit = 1e30;

/// An H200 with no limit but the tensor cores' rate.
GpuSpec tensor_only() {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  gpu.wgmma->operand_rate = {kNoLimit};
  gpu.dram->bandwidth = {kNoLimit};
  gpu.reduction->chip_store = {kNoLimit};
  gpu.stream->disorder_loss = 0;
  gpu.dram->read_rate = gpu.dram->write_rate = {kNoLimit};
  gpu.machine = MachineSpec{.mma_queue = 1e4,
                            .intake = {kNoLimit},
                            .gpcs = 8,
                            .merge_limit = 2.25,
                            .l2_output = {kNoLimit},
                            .store_read = {kNoLimit},
                            .fused_issue = 80,
                            .fused_special = 16,
                            .fp32_additions = 128,
                            .pairs_converted = 64,
                            .promotion_shown = 0.3125,
                            .drift = 1.5};
  gpu.reduction->sm_store = {kNoLimit};
  return gpu;
}

constexpr const char* kFlagship = "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 r24";
constexpr Hertz kClock{1.5e9};

ClosedForm run(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  return closed_form(gpu, problem, config, gemm_work(gpu, problem, config), kClock);
}

/// A configuration on a GPU with few limits.
struct Scene {
  KernelConfig config = gemm_config(kFlagship);
  GpuSpec gpu = tensor_only();

  ClosedForm form(const GemmProblem& p) const { return run(gpu, p, config); }
  double cycles(const GemmProblem& p) const { return form(p).cycles.value; }
};

/// Smooth maximum of a K block's loads and multiplies, or of DRAM traffic and tiles.
double together(double loads, double multiplies) {
  return std::pow(std::pow(loads, 8) + std::pow(multiplies, 8), 1.0 / 8);
}
double overlapped(double tiles, double dram) {
  return std::cbrt(std::pow(tiles, 3) + std::pow(dram, 3));
}
/// Smooth maximum of a ring or chain of loads and the copy engine that serves them.
double among_loads(double chain, double engine) { return overlapped(chain, engine); }

TEST_CASE("With tensor cores as the only limit, time is whole waves of tiles") {
  // 32 x 16 tiles on 132 SMs: 4 waves, each 64 K blocks of 2 x 128 x 256 x 64 / 4096 = 1024 cycles.
  const KernelConfig config = gemm_config(kFlagship);
  const ClosedForm form = run(tensor_only(), fp16(4096, 4096, 4096), config);
  CHECK(form.cycles.value == Approx(4 * 64 * 1024));
  CHECK(form.limiter == Limiter::kTensor);
  // Utilization: all FLOPs at peak take 254200 cycles.
  CHECK(form.shares.tensor == Approx(2.0 * 4096 * 4096 * 4096 / 132 / 4096 / (4 * 64 * 1024)));
}

TEST_CASE("One tile more than a wave costs a whole wave more") {
  const Scene scene;
  CHECK(scene.cycles(fp16(132 * 128, 256, 640)) == Approx(10 * 1024));
  CHECK(scene.cycles(fp16(133 * 128, 256, 640)) == Approx(20 * 1024));
}

TEST_CASE("Narrow wgmmas are bound by reading their operands") {
  // m64n64k16 takes 32 cycles of tensor work. Its (64 + 64) x 16 x 2 B = 4096 B take 32 cycles at
  // 128 B per cycle, and 64 at half that rate.
  Scene scene{.config = gemm_config("ws 64x64x64 s8 w1x1 c1x1 o1 i1 e2 m8")};
  const GemmProblem p = fp16(64, 64, 6400);
  scene.gpu.wgmma->operand_rate = {128};
  CHECK(scene.cycles(p) == Approx(100 * 4 * 32));
  scene.gpu.wgmma->operand_rate = {64};
  CHECK(scene.cycles(p) == Approx(100 * 4 * 64));
  CHECK(scene.form(p).limiter == Limiter::kSharedMemory);
}

TEST_CASE("SM fill bandwidth bounds a tile that needs more bytes per cycle") {
  // 128x256x64 needs 49152 B per 1024 cycles, or 48 B per cycle. A rate of 50 is just enough; at 24
  // it takes twice as long.
  Scene scene;
  const GemmProblem p = fp16(4096, 4096, 4096);
  scene.gpu.machine->intake = {50};
  CHECK(scene.form(p).limiter == Limiter::kTensor);
  scene.gpu.machine->intake = {24};
  CHECK(scene.cycles(p) > 1.99 * 4 * 64 * 1024);
  CHECK(scene.form(p).limiter == Limiter::kSmIntake);
}

TEST_CASE("A ring too short for the load latency waits for it") {
  // Loads take 2000 cycles of latency at 1.5 GHz, a K block's wgmmas 1024. If one K block's wgmmas
  // are in flight, a stage is free when the next one's operands have arrived: 2000 per K block with
  // two stages, 2000 / 3 with four. If they are waited for at once: (2000 + 1024) / 2 with two.
  Scene scene;
  scene.gpu.machine->l2_latency = {2000};
  const GemmProblem p = fp16(128, 256, 64000);
  scene.config.tiling.stages = 2;
  CHECK(scene.cycles(p) == Approx(together(2000, 1024) * 1000 + 2000));
  CHECK(scene.form(p).limiter == Limiter::kLatency);
  scene.config.inflight = 0;
  CHECK(scene.cycles(p) == Approx(together(1512, 1024) * 1000 + 2000));
  scene.config.inflight = 1;
  scene.config.tiling.stages = 4;
  CHECK(scene.cycles(p) == Approx(together(2000.0 / 3, 1024) * 1000 + 2000));
}

TEST_CASE("A warpgroup runs ahead of the tensor pipe by a limited number of wgmmas") {
  // Two stages and 20,000 cycles of latency; a K block is 8 wgmmas of 128 cycles. With a queue of
  // eight or more, the next load is issued once they are all queued. With fewer it waits for the
  // rest.
  Scene scene;
  scene.gpu.machine->l2_latency = {20000};
  scene.config.tiling.stages = 2;
  const auto k_block = [&](double queue) {
    scene.gpu.machine->mma_queue = queue;
    return (scene.cycles(fp16(128, 256, 64000)) - 20000) / 1000;
  };
  CHECK(k_block(100) == Approx(20000));
  CHECK(k_block(8) == Approx(20000));
  CHECK(k_block(7) == Approx(20000 + 128));
  CHECK(k_block(0) == Approx(20000 + 1024));
  scene.config.inflight = 0;  // both stages are being loaded while their wgmmas are waited for
  CHECK(k_block(0) == Approx((20000 + 1024) / 2));
  CHECK(k_block(100) == Approx((20000 + 1024) / 2));
}

TEST_CASE("A stage is reused after latency, transfer and hand-over") {
  // 384 lines of 128 B at 2 cycles each take 768, plus 100 for the stage's reuse; one of two stages
  // is in use.
  Scene scene;
  scene.gpu.machine->l2_latency = {20000};
  scene.gpu.machine->request = {2};
  scene.gpu.machine->wake = {100};
  scene.config.tiling.stages = 2;
  const auto cycles = [&](i64 k_blocks) { return scene.cycles(fp16(128, 256, 64 * k_blocks)); };
  CHECK(cycles(1000) - cycles(900) == Approx(100 * among_loads(20868, 768)));
  scene.config.tiling.stages = 3;  // two are in flight at any time
  CHECK(cycles(1000) - cycles(900) == Approx(100 * among_loads(20868 / 2.0, 768)));
}

TEST_CASE("Threads store C four or two bytes at a time if its rows are not multiples of 16 bytes") {
  // Storing 128 x 256 x 2 B at 32 B per cycle takes 2048 cycles more, or twice that if N is odd.
  Scene scene;
  scene.gpu.reduction->sm_store = {64};
  const double bulk = scene.cycles(fp16(128, 256, 640));
  CHECK(scene.cycles(fp16(128, 248, 640)) == Approx(bulk));
  CHECK(scene.cycles(fp16(128, 252, 640)) == Approx(bulk + 2048));
  CHECK(scene.cycles(fp16(128, 251, 640)) == Approx(bulk + 4096));
}

TEST_CASE("DRAM bounds a problem with little reuse, in nanoseconds and not in cycles") {
  Scene scene;
  scene.gpu.dram->read_rate = scene.gpu.dram->write_rate = {0.5e12};
  const GemmProblem p = fp16(128, 13200, 6400);
  // (128 + 13200) x 6400 x 2 B read and 128 x 13200 x 2 B written at 0.5 TB/s.
  const double seconds = (13328.0 * 12800 + 128.0 * 26400) / 0.5e12;
  const ClosedForm form = scene.form(p);
  CHECK(form.limiter == Limiter::kDram);
  // Meanwhile one wave of tiles of 100 K blocks.
  CHECK(form.cycles.value == Approx(overlapped(100 * 1024, seconds * kClock.value)));
}

TEST_CASE("Waiting for wgmmas is exposed if no other warpgroup fills the gap") {
  // 128x128x64 takes 512 cycles of wgmmas per K block; a warpgroup spends another 100 around them.
  Scene scene{.config = gemm_config("ws 128x128x64 s4 w1x1 c1x1 o1 i0 e2 m8")};
  scene.gpu.machine->turn = {100};
  const GemmProblem p = fp16(128, 128, 6400);
  CHECK(scene.cycles(p) == Approx(100 * (512 + 100)));
  scene.config.inflight = 1;  // the 100 cycles overlap the next K block's wgmmas
  CHECK(scene.cycles(p) == Approx(100 * 512));
  scene.config.inflight = 0;
  scene.config.tiling.warpgroups_m = 2;  // 256 + 100 each, of which 256 overlap the other's wgmmas
  CHECK(scene.cycles(p) == Approx(100 * 512));
}

TEST_CASE("Without a producer warp the loads are in the warpgroup's own sequence") {
  // With 64x64x64, 128 cycles of wgmmas hide 100 cycles of loop overhead, but not 400.
  Scene scene{.config = gemm_config("ws 64x64x64 s8 w1x1 c1x1 o1 i1 e2 m8")};
  scene.gpu.machine->turn = {100};
  scene.gpu.machine->own_copy = {150};  // time for each of two copies
  const GemmProblem p = fp16(64, 64, 6400);
  CHECK(scene.cycles(p) == Approx(100 * 128));
  scene.config.schedule = Schedule::kPipelined;
  CHECK(scene.cycles(p) == Approx(300 + 100 * 400));  // the first load's issue
}

TEST_CASE("Unaligned rows reduce L2's effective bandwidth") {
  // 49152 B per SM and K block of 1024 cycles at 1.5 GHz on 132 SMs are 9.504 TB/s.
  Scene scene;
  scene.gpu.machine->merge_limit = 1;
  scene.gpu.machine->l2_output = {9.504e12};
  CHECK(scene.cycles(fp16(132 * 128, 256, 6400)) == Approx(100 * together(1024, 1024)));
  // A pitch of 6416 x 2 bytes is an odd multiple of 32 and adds a 101st K block, of which L2
  // delivers a quarter. 128 bytes of a row touch two pairs of sectors if they start at 0 or 64, and
  // three at 32 or 96.
  const ClosedForm form = scene.form(fp16(132 * 128, 256, 6416));
  CHECK(form.cycles.value == Approx(101 * together(1280 * 100.25 / 101, 1024)));
  CHECK(form.limiter == Limiter::kL2);
}

TEST_CASE("L2 delivers only columns of K inside the matrix") {
  // At a quarter of the rate above, a K block of 64 columns takes 4096 cycles. With 8 columns a row
  // has 16 bytes, for which L2 delivers a pair of sectors, half of its line.
  Scene scene;
  scene.gpu.machine->merge_limit = 1;
  scene.gpu.machine->l2_output = {9.504e12 / 4};
  CHECK(scene.cycles(fp16(132 * 128, 256, 64)) == Approx(together(4096, 1024)));
  CHECK(scene.cycles(fp16(132 * 128, 256, 8)) == Approx(together(2048, 1024)));
}

TEST_CASE("B as [k,n] starts its rows at multiples of n, B as [n,k] at multiples of k") {
  // N = 208 is an odd multiple of 32 bytes, K = 6400 is not. 208 of the 336 existing rows of a K
  // block belong to B; L2 delivers 1.25 times their bytes.
  Scene scene;
  scene.gpu.machine->merge_limit = 1;
  scene.gpu.machine->l2_output = {9.504e12 / 5};  // more than four times the wgmmas' time
  GemmProblem p = fp16(132 * 128, 208, 6400);
  const double aligned = scene.cycles(p);
  p.layout = Layout::kNn;
  CHECK(scene.cycles(p) == Approx(aligned * (128 + 208 * 1.25) / 336));
}

TEST_CASE(
    "DRAM traffic as long as the tiles costs a quarter more than either, a short one next to "
    "nothing") {
  // Two equal times take 2^(1/3) = 1.26 times as long together; if one is a tenth of the other, (1
  // + 10^-3)^(1/3) times.
  Scene scene;
  const GemmProblem p = fp16(132 * 128, 256, 6400);
  const double tiles = scene.cycles(p);
  const double bytes = (132.0 * 128 + 256) * 12800 + 132.0 * 128 * 512;
  const double equal_rate = bytes / (tiles / kClock.value);
  scene.gpu.dram->read_rate = scene.gpu.dram->write_rate = {equal_rate};
  CHECK(scene.cycles(p) == Approx(tiles * 1.259921));
  scene.gpu.dram->read_rate = scene.gpu.dram->write_rate = {equal_rate * 10};
  CHECK(scene.cycles(p) == Approx(tiles * 1.000333));
}

/// kFlagship's tile in one warpgroup, so that nothing hides an epilogue.
constexpr const char* kOneWarpgroup = "ws 128x128x64 s3 w1x1 c1x1 o1 i1 e4 m8";

TEST_CASE("Beyond its K blocks a tile costs the parts that its schedule does not overlap") {
  // The epilogue takes 1000 cycles and its store is read 200 later; load latency 100; refill 300.
  // 32 x 17 tiles on 132 SMs are 5 on the busiest, each with 64 K blocks of 512. The first load and
  // the last store are exposed.
  Scene scene{.config = gemm_config(kOneWarpgroup)};
  scene.gpu.machine->epilogue = {1000};
  scene.gpu.machine->store_latency = {200};
  scene.gpu.machine->l2_latency = {100};
  scene.gpu.machine->cta_refill = {300};
  const GemmProblem p = fp16(4096, 17 * 128, 4096);
  const double main_loop = 5 * 64 * 512 + 200;
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 1000 + 100));
  scene.config.schedule = Schedule::kPersistentOverlap;
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 1000 + 100));
  scene.config.schedule = Schedule::kPersistent;  // loads again after each epilogue
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 1000 + 5 * 100));
  scene.config.schedule = Schedule::kPipelined;
  scene.config.grid = Grid::kTiles;  // starts a CTA once the previous one's stores are read
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 1000 + 5 * 100 + 4 * 500));
  scene.config.schedule = Schedule::kWarpSpecialized;  // one tile per CTA again
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 1000 + 5 * 100 + 4 * 500));
}

TEST_CASE("A deferred store exposes the packing, and chunks without a K block to overlap with") {
  // 5 tiles on the busiest SM, as in the previous test, with four chunks of 100 cycles. 128
  // accumulators of 128 threads are 64 pairs each; at 64 per cycle packing takes 128 cycles between
  // tiles. 64 K blocks of 512 hide the chunks; one K block leaves three of the four exposed. The
  // last tile's epilogue is exposed.
  Scene scene{.config = gemm_config(kOneWarpgroup)};
  scene.gpu.machine->chunk = {100};
  const auto cycles = [&](i64 k) { return scene.cycles(fp16(4096, 17 * 128, k)); };
  CHECK(cycles(4096) == Approx(5 * 64 * 512 + 5 * 400));
  scene.config.store = Store::kDeferred;
  CHECK(cycles(4096) == Approx(5 * 64 * 512 + 4 * 128 + 400));
  CHECK(cycles(64) == Approx(5 * 512 + 4 * (128 + 300) + 400));
  // A chunk of 600 cycles takes 88 more than the K block that hides it.
  scene.gpu.machine->chunk = {600};
  CHECK(cycles(4096) == Approx(5 * 64 * 512 + 4 * (128 + 4 * 88) + 2400));
  // Staging 128 x 128 x 2 B takes the operand port 256 cycles at 128 B each; wgmmas read 4 x (64 +
  // 128) x 32 B per K block, in 256 of its 512 cycles.
  scene.gpu.wgmma->operand_rate = {128};
  scene.gpu.machine->chunk = {100};
  CHECK(cycles(4096) == Approx(5 * 64 * 512 + 4 * (128 + 256) + 400));
}

TEST_CASE("Warpgroups that share a tile hide a K block and a half of each other's epilogues") {
  // 128x256x64 by two warpgroups: 1536 cycles of every epilogue except the last tile's are hidden;
  // with two stages the warpgroups can be only one K block apart.
  Scene scene;
  scene.gpu.machine->epilogue = {3000};
  const GemmProblem p = fp16(4096, 4096, 4096);  // four tiles on the busiest SM
  const double main_loop = 4 * 64 * 1024;
  CHECK(scene.cycles(p) == Approx(main_loop + 3 * (3000 - 1536) + 3000));
  scene.config.tiling.stages = 2;
  CHECK(scene.cycles(p) == Approx(main_loop + 3 * (3000 - 1024) + 3000));
  scene.config.schedule = Schedule::kPersistent;  // the next tile's loads come after the epilogue
  CHECK(scene.cycles(p) == Approx(main_loop + 4 * 3000));
}

TEST_CASE(
    "With slots for all of C a tile's stores drain during the next tile; with fewer they are "
    "waited for") {
  // A warpgroup's 64x256 are four chunks of 100 cycles; a store is read 1000 later. With two slots
  // the third chunk waits 1000 - 100 for the first; the fourth then need not wait.
  Scene scene;
  scene.gpu.machine->chunk = {100};
  scene.gpu.machine->store_latency = {1000};  // exposed once, at the end
  scene.config.tiling.stages = 2;
  const GemmProblem p = fp16(128, 256, 640);
  const auto epilogue = [&](i32 slots) {
    scene.config.tiling.c_slots = slots;
    return scene.cycles(p) - 10 * 1024 - 1000;
  };
  CHECK(epilogue(4) == Approx(4 * 100));
  CHECK(epilogue(2) == Approx(4 * 100 + 900));
  CHECK(epilogue(1) == Approx(4 * 100 + 3 * 1000));
  CHECK(epilogue(6) == Approx(4 * 100));  // capped at the number of chunks
  scene.config.schedule = Schedule::kPersistentOverlap;
  CHECK(epilogue(0) == Approx(4 * 100));  // C aliases stages for the whole tile
}

TEST_CASE("All bytes of C go through the SM's port, whatever the chunks and warpgroups") {
  Scene scene;
  scene.gpu.machine->intake = {64};  // storing 64 KiB takes 1024 cycles, loading 48 KiB 768
  CHECK(scene.cycles(fp16(128, 256, 640)) ==
        Approx(768 + 10 * together(among_loads(768, 768 / 3.0), 1024) + 1024));
}

TEST_CASE("Stores read slots one after another, and share L2's input with all SMs") {
  // Four chunks of two warpgroups, 16 KiB per pair, take 512 cycles at 32 B per cycle. With two
  // slots the last two wait for the first two, and two are in flight at the end.
  Scene scene;
  scene.gpu.machine->store_read = {32};
  CHECK(scene.cycles(fp16(128, 256, 640)) == Approx(10 * 1024 + 4 * 512));
  // 16 KiB per SM take 2048 cycles: 1.584 TB/s for 132 SMs are 8 B per SM and cycle.
  scene.gpu.reduction->chip_store = {1.584e12};
  CHECK(scene.cycles(fp16(132 * 128, 256, 640)) == Approx(10 * 1024 + 4 * 2048));
}

TEST_CASE("Ping-pong hides an epilogue behind the other tile's K blocks if they take longer") {
  // A K block of 64x256x64 takes 512 cycles, and the busiest SM gets 8 of the 64 x 16 tiles. A tile
  // of 64 K blocks hides the other's epilogue of 1000 cycles; a tile of one hides 512 and leaves
  // 488.
  Scene scene{.config = gemm_config("pp 64x256x64 s4 w1x1 c1x1 o1 i1 e2 m8 r24")};
  scene.gpu.machine->epilogue = {1000};
  CHECK(scene.cycles(fp16(4096, 4096, 4096)) == Approx(8 * 64 * 512 + 1000));
  CHECK(scene.cycles(fp16(4096, 4096, 64)) == Approx(8 * 512 + 7 * 488 + 1000));
}

TEST_CASE("Loads that run ahead catch up during an epilogue by the stages of the ring") {
  // One warpgroup loads 128x128x64: 256 lines at 4 cycles take 1024 per K block, 512 more than its
  // wgmmas. Three stages save that three times. 32 x 17 tiles are 5 on the busiest SM. The first
  // stage's load is exposed.
  Scene scene{.config = gemm_config(kOneWarpgroup)};
  scene.gpu.machine->request = {4};
  const GemmProblem p = fp16(4096, 17 * 128, 4096);
  const double step = together(among_loads(1024, 1024 / 2.0), 512);
  const double main_loop = 5 * 64 * step + 1024;
  scene.gpu.machine->epilogue = {1000};
  CHECK(scene.cycles(p) == Approx(main_loop + 1000));
  scene.gpu.machine->epilogue = {10000};
  CHECK(scene.cycles(p) == Approx(main_loop + 4 * (10000 - 3 * (step - 512)) + 10000));
  scene.config.schedule = Schedule::kPersistent;  // loads wait for the epilogue
  CHECK(scene.cycles(p) == Approx(main_loop + 5 * 10000 + 4 * 1024));
}

/// A slow chain: latency 500, then 64 B per cycle; 50 around the wgmmas of a K block and 50 after
/// them.
GpuSpec slow_chain() {
  GpuSpec gpu = tensor_only();
  gpu.machine->l2_latency = {500};
  gpu.machine->request = {2};
  gpu.machine->turn = {30};
  gpu.machine->own_copy = {10};  // time for each of two copies
  gpu.machine->wgmma_completion = {50};
  return gpu;
}

TEST_CASE("With one buffer a K block is load, wgmma and wait in sequence") {
  // 128x128x64: 32768 B at 64 B per cycle take 512, wgmmas 512: 500 + 512 + 50 + 512 + 50 = 1624.
  const KernelConfig config = gemm_config("bl 128x128x64 s1 w1x1 c1x1 o1 i0 e0 m1");
  const ClosedForm form = run(slow_chain(), fp16(128, 128, 6400), config);
  CHECK(form.cycles.value == Approx(100 * together(among_loads(1624, 512), 512) + 50));
  CHECK(form.limiter == Limiter::kLatency);
}

TEST_CASE("With two buffers a load overlaps the previous K block's wgmmas") {
  // A block takes the longer of 500 + 512 and 512 + 50, plus 50 around them. With 2048 cycles of
  // wgmmas (a quarter of the rate) the second is longer.
  Scene scene{.config = gemm_config("bp 128x128x64 s2 w1x1 c1x1 o1 i1 e0 m1"), .gpu = slow_chain()};
  const GemmProblem p = fp16(128, 128, 6400);
  CHECK(scene.cycles(p) == Approx(100 * together(among_loads(1062, 512), 512) + 50));
  scene.gpu.wgmma->flops_per_sm = {1024};
  CHECK(scene.cycles(p) == Approx(100 * together(among_loads(2148, 512), 2048) + 50));
}

TEST_CASE(
    "CTAs that share an SM hide each other's waits until its pipe or fill bandwidth is saturated") {
  // Two CTAs take 1624 together, as one would; three are limited by the pipe's 3 x 512. With wgmmas
  // three times as long a chain takes 2648, and three CTAs occupy the pipe for 4608.
  Scene scene{.config = gemm_config("bl 128x128x64 s1 w1x1 c1x1 o2 i0 e0 m1"), .gpu = slow_chain()};
  CHECK(scene.cycles(fp16(264 * 128, 128, 64000)) ==
        Approx(1000 * together(among_loads(1624, 1024), 1024) + 50));
  CHECK(scene.cycles(fp16(396 * 128, 128, 64000)) ==
        Approx(1000 * together(among_loads(1624, 1536), 1536) + 50));
  scene.gpu.wgmma->flops_per_sm = {4096.0 / 3};
  const ClosedForm three = scene.form(fp16(396 * 128, 128, 64000));
  CHECK(three.cycles.value == Approx(1000 * together(among_loads(2648, 1536), 3 * 1536) + 50));
  CHECK(three.limiter == Limiter::kTensor);
}

TEST_CASE("With A in registers the wgmmas do not read A from shared memory") {
  // m64n32k16 takes 16 tensor cycles; reads of A and B take (64 + 32) x 32 B / 128 = 24, reads of B
  // alone 8. There are 8 x 4 such wgmmas. Known gap: in the model, a lone CTA's chain of wgmmas
  // delays itself, by 2^(1/8).
  GpuSpec gpu = tensor_only();
  gpu.wgmma->operand_rate = {128};
  const double delayed = together(1, 1);
  const auto cycles = [&](const char* rest) {
    return run(gpu, fp16(64, 128, 128),
               gemm_config(std::string("small_mma:tile=64x128x128,") + rest))
        .cycles.value;
  };
  CHECK(cycles("warpgroups=1x1,a=shared,instruction_n=32") == Approx(delayed * 32 * 24));
  CHECK(cycles("warpgroups=1x1,a=registers,instruction_n=32") == Approx(delayed * 32 * 16));
  CHECK(cycles("warpgroups=1x1,a=shared,instruction_n=128") ==
        Approx(delayed * 8 * 64));  // 64 each, at the tensor rate
  CHECK(cycles("warpgroups=1x1,a=shared,instruction_n=8") ==
        Approx(delayed * 128 * 18));  // 72 x 32 / 128
}

TEST_CASE(
    "Warpgroups that split the columns read A twice, those that split the rows read B twice") {
  // 128x256x64 at 64 B per cycle, four k16 steps: two m64n256 read 2 x 320 x 32 B, four m64n128
  // read 4 x 192 x 32 B.
  Scene scene;
  scene.gpu.wgmma->operand_rate = {64};
  const GemmProblem p = fp16(128, 256, 6400);
  CHECK(scene.cycles(p) == Approx(100 * 4 * 320));
  scene.config.tiling.warpgroups_m = 1;
  scene.config.tiling.warpgroups_n = 2;
  CHECK(scene.cycles(p) == Approx(100 * 4 * 384));
}

TEST_CASE("Out-of-bounds columns of B are requested like others, rows of A are not") {
  // 128 rows of A and 256 columns of B take a line of four cycles each, whether inside the matrix
  // or not. If half of A's rows are inside, half are requested; one row more adds a step of eight.
  // The first stage's load is exposed.
  Scene scene;
  scene.gpu.machine->request = {4};
  const auto cycles = [&](i64 m, i64 n) { return scene.cycles(fp16(m, n, 6400)); };
  const auto expected = [](double engine) {
    return Approx(100 * together(among_loads(engine, engine / 3), 1024) + engine);
  };
  CHECK(cycles(128, 256) == expected(384 * 4));
  CHECK(cycles(128, 192) == expected(384 * 4));
  CHECK(cycles(64, 256) == expected(320 * 4));
  CHECK(cycles(65, 256) == expected(328 * 4));
}

TEST_CASE("The CTAs of an SM share its store port") {
  // 127 x 41 tiles of 64 x 144, 40 of them on the busiest SM, with 18,432 bytes of fp16 each. Rows
  // of an odd length are stored at 27.3 / 4 bytes per cycle: 108,026 cycles, however short K is.
  const KernelConfig config = gemm_config("ws 64x144x64 s2 w1x3 c1x1 o2 i1 e1 n4");
  const ClosedForm odd = run(h200(), fp16(8108, 5809, 16), config);
  CHECK(odd.cycles.value > 108026);
  CHECK(odd.cycles.value < 1.1 * 108026);
  CHECK(odd.limiter == Limiter::kEpilogue);
  CHECK(run(h200(), fp16(8108, 5808, 16), config).cycles.value < 0.6 * 108026);  // with bulk stores
}

TEST_CASE("Corrections leave a kernel's tensor operations, and the start and end of its tiles") {
  // 16 tiles of 128 x 256 on 16 SMs, 100 K blocks of 4 wgmmas of 256 cycles each in two warpgroups.
  const ClosedForm one = run(tensor_only(), fp16(512, 1024, 6400), gemm_config(kFlagship));
  CHECK(one.least.value >= 100 * 1024);
  CHECK(one.least <= one.cycles);
  const ClosedForm whole =
      run(load_gpu("h200_sxm", false).spec, fp16(65536, 65536, 65536), gemm_config(kFlagship));
  // 512 x 256 tiles, 993 on the busiest of 132 SMs: each has 1024 K blocks of 1024 cycles.
  CHECK(whole.least.value > 993.0 * 1024 * 1024);
  CHECK(whole.least <= whole.cycles);
}

TEST_CASE("Each CTA of a pair loads its rows of A and half of B's columns from L2") {
  const auto l2_of_block = [](i32 pair) {
    KernelConfig config = plain_tcgen05(Schedule::kTcgen05Pipelined, pair);
    config.tiling.block_n = 256;
    return run(load_gpu("b200", false).spec, fp16(256, 256, 4096), config).parts.l2.value;
  };
  // 128 rows of A and 256 columns of B, or 128 and 128.
  CHECK(l2_of_block(2) / l2_of_block(1) == Approx(256.0 / 384));
}

TEST_CASE("A GPC handles out-of-bounds rows one after another, in pairs of lines") {
  // Each of 132 SMs has 64 out-of-bounds columns of B. With 16.5 SMs per GPC and two lines of half
  // a cycle per column they take 1056 cycles.
  Scene scene;
  scene.gpu.machine->outside = {0.5};
  CHECK(scene.cycles(fp16(132 * 128, 256, 6400)) == Approx(100 * 1024));
  CHECK(scene.cycles(fp16(132 * 128, 192, 6400)) == Approx(100 * together(1056, 1024)));
}

TEST_CASE("Requests of a GPC's SMs for one line merge, up to the limit") {
  // 264 tiles in one column, two per SM, share B and have separate A. With one GPC, requests for B
  // merge up to the limit, here 4: 128 + 256 / 4 rows of 128 B per K block; without merging 384.
  Scene scene;
  scene.gpu.machine->l2_output = {9.504e12 / 2};  // 24 B per SM and cycle at 1.5 GHz
  scene.gpu.machine->gpcs = 1;
  const GemmProblem p = fp16(264 * 128, 256, 6400);
  scene.gpu.machine->merge_limit = 4;
  CHECK(scene.cycles(p) == Approx(200 * together(1024, 1024)));
  scene.gpu.machine->merge_limit = 1;
  CHECK(scene.cycles(p) == Approx(200 * together(384 * 128 / 24, 1024)));
  // With very many GPCs no two requesters are in the same one: nothing merges.
  scene.gpu.machine->merge_limit = 4;
  scene.gpu.machine->gpcs = 1'000'000'000;
  CHECK(scene.cycles(p) == Approx(200 * together(384 * 128 / 24, 1024)).epsilon(1e-4));
  // With one tile each all SMs run in lockstep and all requests merge, up to the limit.
  CHECK(scene.cycles(fp16(132 * 128, 256, 6400)) == Approx(100 * together(1024, 1024)));
}

TEST_CASE("A kernel of clusters starts later") {
  Scene scene;
  scene.gpu.machine->start_cluster = {1e-6};  // 1500 cycles
  scene.gpu.machine->cluster = {1e-6};        // the end of kernels with tcgen05 alone
  const GemmProblem p = fp16(256, 256, 640);
  CHECK(scene.cycles(p) == Approx(10 * 1024));
  scene.config.tiling.cluster_m = 2;
  CHECK(scene.cycles(p) == Approx(10 * 1024 + 1500));
}

}  // namespace
}  // namespace tilecast
