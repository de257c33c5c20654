#include "validate/measure/timeline.h"

#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "validate/measure/timeline_bench.h"

using namespace tilecast;

namespace {

constexpr u64 kNoStamp = ~u64{0};

/// Two CTAs of one warpgroup and a producer on SMs 4 and 9, one tile each; 2 cycles in a
/// nanosecond. SM 4 started counting at globaltimer 1000 from 0; SM 9 is 2^32 - 100 cycles ahead of
/// it, so that its low half turns over inside the kernel.
constexpr u64 kAhead = (u64{1} << 32) - 100;

TimelineStamps two_ctas() {
  const auto low = [](u64 cycles) { return static_cast<u32>(cycles); };
  TimelineStamps stamps{.tiles_per_cta = 2, .warpgroups = 1, .has_producer = true};
  // Entered at cycles 20 and 40 of SM 4's clock, read both clocks at 60 (1030 ns) and 460 (1230).
  stamps.ctas = {{60, 1030, 460, 1230, 20, 4},
                 {60 + kAhead, 1030, 460 + kAhead, 1230, low(40 + kAhead), 9}};
  const TileStamps none{~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};
  stamps.tiles = {
      {0, 0, 50, 0, 100, 400, 450, ~0u},  // CTA 0, tile 0: warpgroup, producer
      {0, 0, 30, 0, 35, ~0u, 200, ~0u},
      none,
      none,
      {1, 0, low(50 + kAhead), 0, low(110 + kAhead), low(410 + kAhead), low(470 + kAhead), ~0u},
      {1, 0, low(45 + kAhead), 0, low(48 + kAhead), ~0u, low(210 + kAhead), ~0u},
      none,
      none};
  return stamps;
}

KernelConfig one_warpgroup() {
  return parse_kernel_config(
      "warp_specialized:tile=64x128x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
      "c_slots=1,producer=40,grid=resident,raster=grouped_m,group=1,walk=strided");
}

const std::vector<TileCoord> kExpected = {{0, 0}, {~0u, ~0u}, {1, 0}, {~0u, ~0u}};

std::string fault_of(const Timeline& timeline, Seconds duration = Seconds{300e-9}) {
  return timeline_fault(timeline, one_warpgroup(), kExpected, 2, duration);
}

}  // namespace

TEST_CASE("Stamps of SMs that count from different starts come out on one clock") {
  const Timeline timeline = decode_timeline(two_ctas());
  CHECK(timeline.sm_clock.value == Approx(2e9));
  CHECK(timeline.clock_error.value == Approx(0).margin(1e-15));
  // The kernel starts with the first entry, at cycle 20 of SM 4's clock.
  REQUIRE(timeline.records.size() == 4);
  CHECK(timeline.records[0] ==
        TileRecord{4, 0, 0, 0, TileRole::kMultiplies, 0, 0, 30, 80, 380, 430});
  CHECK(timeline.records[1] == TileRecord{4, 0, 0, 1, TileRole::kLoads, 0, 0, 10, 15, 180, 180});
  CHECK(timeline.records[2] ==
        TileRecord{9, 1, 0, 0, TileRole::kMultiplies, 1, 0, 30, 90, 390, 450});
  CHECK(timeline.records[3] == TileRecord{9, 1, 0, 1, TileRole::kLoads, 1, 0, 25, 28, 190, 190});
  CHECK(timeline.entries == std::vector<i64>{0, 20});
}

TEST_CASE("A reading that is late by a step of the wall clock shows in the clock's error") {
  TimelineStamps stamps = two_ctas();
  stamps.ctas[1].early_ns += 32;
  stamps.ctas[1].late_ns += 32;
  // SM 9's two readings agree with each other: it is taken to be 32 ns, 64 cycles, later.
  CHECK(decode_timeline(stamps).records[2].begin == 30 + 64);
  CHECK(decode_timeline(stamps).clock_error.value == Approx(0).margin(1e-15));
  stamps.ctas[1].late_ns -= 32;
  // f = 800 cycles / (200 + 168) ns, so 400 cycles are 184 ns. SM 9 is placed halfway between its
  // readings, 168 ns apart: each is half of 184 - 168 = 16 ns off; SM 4's half of 200 - 184.
  CHECK(decode_timeline(stamps).clock_error.value == Approx(8e-9));
}

TEST_CASE("CTAs that share an SM have places of their own, later ones take those that are free") {
  TimelineStamps stamps = two_ctas();
  stamps.ctas[1] = {60, 1030, 460, 1230, 40, 4};
  for (std::size_t i = 4; i < 6; ++i) {
    stamps.tiles[i] = stamps.tiles[i - 4];
  }
  CHECK(decode_timeline(stamps).records[2].place == 1);
  // The second CTA enters at cycle 500, behind the first one's end at 450.
  stamps.ctas[1] = {560, 1280, 960, 1480, 500, 4};
  for (std::size_t i = 4; i < 6; ++i) {
    TileStamps& tile = stamps.tiles[i];
    tile = {1,
            0,
            tile.begin + 500,
            0,
            tile.first_operands + 500,
            tile.multiplied + 500,
            tile.stored + 500,
            0};
  }
  CHECK(decode_timeline(stamps).records[2].place == 0);
}

TEST_CASE("A CTA that wrote nothing, and a kernel within one step of the wall clock, are refused") {
  TimelineStamps stamps = two_ctas();
  stamps.ctas[1].late_ns = kNoStamp;
  CHECK_THROWS_AS(decode_timeline(stamps), Error);
  stamps = two_ctas();
  stamps.ctas[0].late_ns = stamps.ctas[1].late_ns = 1030;
  CHECK_THROWS_AS(decode_timeline(stamps), Error);
}

TEST_CASE("A timeline that breaks a rule is told by its first fault") {
  const Timeline right = decode_timeline(two_ctas());
  CHECK(fault_of(right) == "");
  // 300 ns are 600 cycles; the last span ends at 450.
  CHECK(fault_of(right, Seconds{225e-9}) == "");
  CHECK(fault_of(right, Seconds{224e-9}) ==
        "CTA 1 warpgroup 0 tile (1, 0) ends 450 cycles after the start of a kernel of 448");
  Timeline wrong = right;
  wrong.records[0].multiplied = 79;
  CHECK(fault_of(wrong) == "CTA 0 warpgroup 0 tile (0, 0): its times are not in order");
  wrong = right;
  wrong.records[2].tile_n = 1;
  CHECK(fault_of(wrong) == "CTA 1 warpgroup 0 tile (1, 1): not the tile of the scheduler");
  wrong = right;
  wrong.records.push_back(wrong.records[3]);
  CHECK(fault_of(wrong) == "CTA 1 producer 1 tile (1, 0): not the tile of the scheduler");
  wrong = right;
  wrong.records.pop_back();
  CHECK(fault_of(wrong) == "3 records of 2 tiles with 2 roles each");
  std::vector<TileCoord> two_each = {{0, 0}, {0, 0}, {1, 0}, {~0u, ~0u}};
  wrong = right;
  wrong.records.insert(wrong.records.begin() + 1, wrong.records[0]);
  CHECK(timeline_fault(wrong, one_warpgroup(), two_each, 2, Seconds{300e-9}) ==
        "CTA 0 warpgroup 0 tile (0, 0): begins before the one before ends");
}

TEST_CASE("The summary is over warpgroups that multiply, its ends over SMs") {
  const TimelineSummary summary = summary_of(decode_timeline(two_ctas()));
  // Warpgroups: tiles of 400 and 420 cycles, loads of 50 and 60, 300 each, stores of 50 and 60.
  CHECK(summary.tile.value == Approx(410));
  CHECK(summary.load.value == Approx(55));
  CHECK(summary.multiply.value == Approx(300));
  CHECK(summary.store.value == Approx(55));
  CHECK(summary.first_begin.value == Approx(30));
  CHECK(summary.first_spread.value == Approx(0));
  CHECK(summary.first_end.value == Approx(430));
  CHECK(summary.end.value == Approx(450));
}

TEST_CASE("Instrumented kernels give the same bits and a timeline without fault", "[gpu]") {
  (void)gpu_or_skip();
  TimelineBench bench;
  for (const char* text : {
           "small_mma:tile=128x256x128,warpgroups=2x1,a=registers,instruction_n=64",
           "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8",
           "blocked_pipelined:tile=128x128x64,warpgroups=2x1,ctas=2,c_slots=0,raster=grouped_n,"
           "group=2",
           "pipelined:tile=128x128x64,stages=3,warpgroups=2x1,ctas=2,inflight=1,c_slots=2,"
           "raster=grouped_m,group=8",
           "persistent:tile=64x64x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=1,"
           "raster=hilbert,group=1,walk=chunked",
           "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,"
           "inflight=1,c_slots=0,raster=grouped_m,group=8,walk=strided",
           "persistent_overlap:tile=128x128x64,stages=4,warpgroups=2x1,cluster=2x2,ctas=1,"
           "inflight=1,c_slots=2,raster=hilbert,group=1,walk=strided",
           "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,"
           "inflight=1,c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
           "warp_specialized:tile=64x192x32,stages=8,warpgroups=1x3,cluster=1x1,ctas=1,inflight=2,"
           "c_slots=1,producer=32,grid=tiles,raster=grouped_n,group=2,walk=strided",
           "ping_pong:tile=128x128x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
           "producer=40,raster=grouped_n,group=4,walk=strided",
       }) {
    const KernelConfig config = parse_kernel_config(text);
    const GemmShape shape = config.schedule == Schedule::kSmallMma ? GemmShape{128, 256, 128}
                                                                   : GemmShape{4000, 4096, 1032};
    const HangGuard guard(text);
    const RecordedTimeline recorded =
        bench.record({shape, ElementType::kFp16, Layout::kTn}, config, Inputs::kNormal);
    INFO(text);
    CHECK(recorded.different_elements == 0);
    CHECK(recorded.fault == "");
    CHECK(recorded.timeline.clock_error.value < 2e-6);
  }
}

TEST_CASE("Writing the timeline down costs less than two parts in a hundred", "[gpu]") {
  (void)gpu_or_skip();
  TimelineBench bench;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  for (const char* text : {
           "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8",
           "pipelined:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
           "raster=grouped_m,group=8",
           "persistent:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
           "raster=grouped_m,group=8,walk=strided",
           "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,"
           "inflight=1,c_slots=0,raster=grouped_m,group=8,walk=strided",
           "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,"
           "inflight=1,c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
           "ping_pong:tile=64x256x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
           "raster=grouped_m,group=8,walk=strided",
       }) {
    const HangGuard guard(text);
    const TimelineCost cost = bench.cost(problem, parse_kernel_config(text), Inputs::kNormal);
    INFO(text << ": " << cost.slowdown.median);
    CHECK(cost.slowdown.median < 0.02);
  }
}
