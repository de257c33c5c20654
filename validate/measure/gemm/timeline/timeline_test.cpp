#include "validate/measure/gemm/timeline/timeline.h"

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "tests/hang_guard.h"
#include "validate/measure/gemm/timeline/tile_trace.h"
#include "validate/measure/gemm/timeline/timeline_bench.h"

using namespace tilecast;

namespace {

constexpr u32 kNo = ~0u;
constexpr TileStamps kNoStamps{kNo, kNo, -1, -1, kNo, kNo, kNo, kNo, kNo, kNo, {kNo, kNo}};
constexpr TimelineReading kNoReading{kNo, kNo};

/// SM 9's clock is 2^32 - 100 cycles ahead of SM 4's, so that its low half wraps inside the kernel.
constexpr u32 on_sm_9(u32 cycles) { return cycles - 100; }

/// Stamps of a tile of 8 K blocks; a producer has no `multiplied`.
constexpr TileStamps whole(u32 m, u32 begin, u32 first, u32 multiplied, u32 stored) {
  return {m, 0, 0, 8, begin, first, multiplied, kNo, kNo, stored, {kNo, kNo}};
}

/// Two CTAs of one warpgroup and a producer on SMs 4 and 9, with one tile each and room for two, at
/// 2 cycles per nanosecond. Both SMs are read at cycle 60 of SM 4's clock, which is 1030 ns, and at
/// cycle 20060.
TimelineStamps two_ctas() {
  TimelineStamps stamps{.tiles_per_cta = 2, .k_blocks = 8, .warpgroups = 1, .has_producer = true};
  stamps.ctas = {{20, 4}, {on_sm_9(40), 9}};
  stamps.tiles = {whole(0, 50, 100, 400, 450),  // CTA 0: warpgroup, producer
                  whole(0, 30, 35, kNo, 200),
                  kNoStamps,
                  kNoStamps,
                  whole(1, on_sm_9(50), on_sm_9(110), on_sm_9(410), on_sm_9(470)),
                  whole(1, on_sm_9(45), on_sm_9(48), kNo, on_sm_9(210)),
                  kNoStamps,
                  kNoStamps};
  stamps.readings = {{60, 1030},          kNoReading, {20060, 11030},          kNoReading,
                     kNoReading,          kNoReading,  // CTA 0: begin, end of the warpgroup
                     {on_sm_9(60), 1030}, kNoReading, {on_sm_9(20060), 11030}, kNoReading,
                     kNoReading,          kNoReading};
  return stamps;
}

KernelConfig one_warpgroup() { return gemm_config("ws 64x128x64 s4 w1x1 c1x1 o1 i1 e1 m1"); }

const std::vector<WalkedPiece> kExpected = {{0, 0, 0, 8}, kNoTile, {1, 0, 0, 8}, kNoTile};

std::string fault_of(const Timeline& timeline, Seconds duration = Seconds{300e-9}) {
  return timeline_fault(timeline, one_warpgroup(), kExpected, 2, duration);
}

TileRecord record(i32 sm, i32 cta, i32 warpgroup, TileRole role, i64 begin, i64 first,
                  i64 multiplied, i64 stored) {
  return {.sm = sm,
          .cta = cta,
          .place = 0,
          .warpgroup = warpgroup,
          .role = role,
          .tile_m = static_cast<u32>(cta),
          .tile_n = 0,
          .k_begin = 0,
          .k_end = 8,
          .begin = begin,
          .first_operands = first,
          .multiplied = multiplied,
          .stored = stored,
          .sm_cycles = stored - begin};
}

}  // namespace

TEST_CASE("Stamps of SMs with different starts are mapped to one clock") {
  const Timeline timeline = decode_timeline(two_ctas());
  CHECK(timeline.sm_clock.value == Approx(2e9));
  // The kernel starts with the first entry, at cycle 20 of SM 4's clock.
  REQUIRE(timeline.records.size() == 4);
  CHECK(timeline.records[0] == record(4, 0, 0, TileRole::kMultiplies, 30, 80, 380, 430));
  CHECK(timeline.records[1] == record(4, 0, 1, TileRole::kLoads, 10, 15, 180, 180));
  CHECK(timeline.records[2] == record(9, 1, 0, TileRole::kMultiplies, 30, 90, 390, 450));
  CHECK(timeline.records[3] == record(9, 1, 1, TileRole::kLoads, 25, 28, 190, 190));
  CHECK(timeline.entries == std::vector<i64>{0, 20});
}

TEST_CASE("Stamps of SMs at different frequencies are converted to cycles of their mean") {
  TimelineStamps stamps = two_ctas();
  // SM 4 counts 10,000 cycles fewer in the same time: 1 and 2 cycles per nanosecond, 1.5 on
  // average.
  stamps.readings[2] = {10060, 11030};
  const Timeline timeline = decode_timeline(stamps);
  CHECK(timeline.sm_clock.value == Approx(1.5e9));
  CHECK(timeline.slowest_sm.value == Approx(1e9));
  CHECK(timeline.fastest_sm.value == Approx(2e9));
  // CTA 0 enters 40 ns before the reading, at 990 ns; CTA 1 10 ns before it, 30 ns or 45 cycles
  // later.
  CHECK(timeline.entries == std::vector<i64>{0, 45});
  // Its warpgroup begins 10 cycles or 5 ns before the reading, and needs 420 cycles or 210 ns.
  CHECK(timeline.records[2].begin == 53);    // 35 ns are 52.5 cycles
  CHECK(timeline.records[2].stored == 368);  // 245 ns are 367.5 cycles
  CHECK(timeline.records[2].sm_cycles == 420);
}

TEST_CASE("A CTA without tiles has an entry and no record") {
  TimelineStamps stamps = two_ctas();
  for (std::size_t i = 4; i < 8; ++i) {
    stamps.tiles[i] = kNoStamps;
  }
  stamps.readings[6] = kNoReading;
  const Timeline timeline = decode_timeline(stamps);
  CHECK(timeline.records.size() == 2);
  CHECK(timeline.entries.size() == 2);
  CHECK(timeline_fault(timeline, one_warpgroup(),
                       std::vector<WalkedPiece>{kExpected[0], kNoTile, kNoTile, kNoTile}, 2,
                       Seconds{300e-9}) == "");
  CHECK(fault_of(timeline) == "2 records of 2 tiles with 2 roles each");
}

TEST_CASE("A piece of a tile waits for the others and takes over their sum, or passes on its own") {
  TimelineStamps stamps = two_ctas();
  // CTA 0 has K blocks 0 to 5 and passes on its sum; CTA 1 has the last three and stores C.
  TileStamps& first = stamps.tiles[0];
  first.k_end = 5;
  first.waited = 405;
  stamps.tiles[1].k_end = 5;
  TileStamps& last = stamps.tiles[4];
  last.k_begin = 5;
  last.waited = on_sm_9(440);
  last.reduced = on_sm_9(460);
  stamps.tiles[5].k_begin = 5;
  const Timeline timeline = decode_timeline(stamps);
  CHECK(timeline.records[0].reduction == TileRecord::Reduction{.waited = 385, .reduced = 430});
  CHECK(!timeline.records[1].reduction);
  CHECK(timeline.records[2].reduction == TileRecord::Reduction{.waited = 420, .reduced = 440});
  std::vector<WalkedPiece> expected = {{0, 0, 0, 5}, kNoTile, {1, 0, 5, 8}, kNoTile};
  const auto fault = [&](const Timeline& of) {
    return timeline_fault(of, one_warpgroup(), expected, 2, Seconds{300e-9});
  };
  CHECK(fault(timeline) == "");
  Timeline wrong = timeline;
  wrong.records[2].reduction->reduced = 419;
  CHECK(fault(wrong) ==
        "CTA 1 warpgroup 0 tile (1, 0) K blocks 5 to 8: its times are not in order");
  expected[0].k_end = 6;
  CHECK(fault(timeline) ==
        "CTA 0 warpgroup 0 tile (0, 0) K blocks 0 to 5: differs from the scheduler's tile");
  // Waits of 5 and 30 cycles, reductions of 45 and 20, one store of C, of 10.
  const TimelineSummary summary = summary_of(timeline);
  CHECK(summary.reduction->wait.value == Approx(17.5));
  CHECK(summary.reduction->reduce.value == Approx(32.5));
  CHECK(summary.store.value == Approx(10));
}

TEST_CASE("CTAs that share an SM have separate places, and later ones reuse free places") {
  TimelineStamps stamps = two_ctas();
  const auto second_cta = [&](u32 later) {
    stamps.ctas[1] = {40 + later, 4};
    stamps.readings[6] = {60 + later, 1030 + later / 2};
    stamps.readings[8] = {20060 + later, 11030 + later / 2};
    stamps.tiles[4] = whole(1, 50 + later, 100 + later, 400 + later, 450 + later);
    stamps.tiles[5] = whole(1, 50 + later, 60 + later, kNo, 200 + later);
  };
  second_cta(0);
  CHECK(decode_timeline(stamps).records[2].place == 1);
  second_cta(500);  // enters at cycle 540, after the first CTA's end at 450
  CHECK(decode_timeline(stamps).records[2].place == 0);
}

TEST_CASE("A CTA without stamps, and a kernel within one step of the wall clock, are refused") {
  TimelineStamps stamps = two_ctas();
  stamps.ctas[1] = {kNo, kNo};
  CHECK_THROWS_AS(decode_timeline(stamps), Error);
  stamps = two_ctas();
  stamps.readings[2].ns = stamps.readings[8].ns = 1030;
  CHECK_THROWS_AS(decode_timeline(stamps), Error);
}

TEST_CASE("An invalid timeline is reported by its first fault") {
  Timeline right = decode_timeline(two_ctas());
  CHECK(fault_of(right) == "");
  // 225 ns are 450 cycles, the end of the last span; each nanosecond of error allows four more
  // cycles.
  right.clock_error = {0};
  CHECK(fault_of(right, Seconds{225e-9}) == "");
  CHECK(fault_of(right, Seconds{224e-9}) ==
        "CTA 1 warpgroup 0 tile (1, 0) K blocks 0 to 8 ends 450 cycles after the start of a kernel "
        "of at most 448");
  right.clock_error = {1e-9};
  CHECK(fault_of(right, Seconds{223e-9}) == "");
  CHECK(fault_of(right, Seconds{222e-9}) != "");
  Timeline wrong = right;
  wrong.records[0].multiplied = 79;
  CHECK(fault_of(wrong) ==
        "CTA 0 warpgroup 0 tile (0, 0) K blocks 0 to 8: its times are not in order");
  wrong = right;
  wrong.records[2].tile_n = 1;
  CHECK(fault_of(wrong) ==
        "CTA 1 warpgroup 0 tile (1, 1) K blocks 0 to 8: differs from the scheduler's tile");
  wrong = right;
  wrong.records.push_back(wrong.records[3]);
  CHECK(fault_of(wrong) ==
        "CTA 1 producer 1 tile (1, 0) K blocks 0 to 8: differs from the scheduler's tile");
  wrong = right;
  wrong.records.pop_back();
  CHECK(fault_of(wrong) == "3 records of 2 tiles with 2 roles each");
  const std::vector<WalkedPiece> two_each = {kExpected[0], kExpected[0], kExpected[2], kNoTile};
  wrong = right;
  wrong.records.insert(wrong.records.begin() + 1, wrong.records[0]);
  CHECK(timeline_fault(wrong, one_warpgroup(), two_each, 2, Seconds{300e-9}) ==
        "CTA 0 warpgroup 0 tile (0, 0) K blocks 0 to 8: begins before the previous one ends");
}

TEST_CASE("The summary covers consumer warpgroups, and its ends SMs") {
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

TEST_CASE("Instrumented kernels give the same bits and a valid timeline", "[gpu]") {
  (void)gpu_or_skip();
  TimelineBench bench;
  for (const char* text : {
           "sm 128x256x128 s1 w2x1 c1x1 o1 i0 e0 m1 rs in64",
           "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8",
           "bp 128x128x64 s2 w2x1 c1x1 o2 i1 e0 n2",
           "pi 128x128x64 s3 w2x1 c1x1 o2 i1 e2 m8",
           "pe 64x64x64 s3 w1x1 c1x1 o2 i1 e1 hk",
           "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",
           "po 128x128x64 s4 w2x1 c2x2 o1 i1 e2 h",
           "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",
           "ws1 64x192x32 s8 w1x3 c1x1 o1 i2 e1 n2",
           "pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 n4",
           "sp 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m8 k3t",
           "sp 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k2a",
           "sph 128x192x64 s4 w2x1 c1x1 o1 i1 e2 m8 k3s",
           "sk 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k4+t",
           "skh 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k4+t",
       }) {
    const KernelConfig config = gemm_config(text);
    const GemmShape shape = config.schedule == Schedule::kSmallMma ? GemmShape{128, 256, 128}
                                                                   : GemmShape{4000, 4096, 1032};
    const HangGuard guard(text);
    const RecordedTimeline recorded =
        bench.record({shape, ElementType::kFp16, Layout::kTn}, config, Inputs::kNormal);
    INFO(text);
    CHECK(recorded.different_elements.value_or(0) == 0);
    CHECK(recorded.fault == "");
    // Clocks of GPCs differ and move within a kernel: errors of 36 to 1226 ns occurred on an H200.
    CHECK(recorded.timeline.clock_error.value < 2e-6);
  }
}

TEST_CASE("Recording the timeline costs less than 2 %", "[gpu]") {
  (void)gpu_or_skip();
  TimelineBench bench;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  for (const char* text : {
           "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8",
           "pi 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8",
           "pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",
           "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",
           "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",
           "pp 64x256x64 s4 w1x1 c2x1 o1 i1 e2 m8",
           "sp 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k2t",
           "skh 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k4+t",
       }) {
    const HangGuard guard(text);
    const TimelineCost cost = bench.cost(problem, gemm_config(text), Inputs::kNormal);
    INFO(text << ": " << cost.slowdown());
    CHECK(cost.slowdown() < 0.02);
  }
}
