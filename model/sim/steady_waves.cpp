#include "model/sim/steady_waves.h"

#include <cmath>

#include "model/base/math.h"

namespace tilecast {
namespace {

constexpr u32 kLeastHead = 5;     // waves simulated before the jump
constexpr u32 kSettling = 2;      // of these, not taken for steady
constexpr u32 kTail = 1;          // whole waves behind it
constexpr u32 kWorthIt = 2;       // fewest left out
constexpr i64 kCheap = 250'000;   // steps: about 9 ms on one core
constexpr u32 kFewestChunks = 8;  // where chunks differ in length, so that one does not matter

/// Places that have work in every whole wave.
u32 places_at_work(const TileScheduler& s, u32 places) {
  return s.raster.walk == Walk::kChunked ? ceil_div(s.num_tiles(), s.chunk)
                                         : min_of(places, s.num_tiles());
}

u32 whole_waves(const TileScheduler& s, u32 places) {
  return s.raster.walk == Walk::kChunked ? s.chunk : s.num_tiles() / min_of(places, s.num_tiles());
}

i64 scaled(i64 amount, double factor) { return std::llround(static_cast<double>(amount) * factor); }
SimTime scaled(SimTime time, double factor) { return {scaled(time.ps, factor)}; }

}  // namespace

SkippedWaves steady_waves(const TileScheduler& scheduler, u32 places, i64 steps_per_tile) {
  const u32 waves = whole_waves(scheduler, places);
  if (scheduler.raster.walk == Walk::kChunked &&
      places_at_work(scheduler, places) < kFewestChunks) {
    return {};
  }
  const i64 wave_steps = places_at_work(scheduler, places) * steps_per_tile;
  const u32 cheap = static_cast<u32>(kCheap / wave_steps);
  const u32 head = max_of(kLeastHead, cheap > kTail ? cheap - kTail : 0);
  return waves < head + kTail + kWorthIt ? SkippedWaves{}
                                         : SkippedWaves{head, waves - head - kTail};
}

SteadyMarks steady_marks(SkippedWaves skipped, const TileScheduler& scheduler, u32 places,
                         i64 parts_per_tile) {
  if (skipped.count == 0) {
    return {};
  }
  const i64 wave = i64{places_at_work(scheduler, places)} * parts_per_tile;
  return {.begin = wave * kSettling,
          .end = wave * skipped.after,
          .waves = skipped.after - kSettling,
          .at_begin = {},
          .at_end = {}};
}

Progress of_skipped(const SteadyMarks& marks, SkippedWaves skipped) {
  if (skipped.count == 0) {
    return {};
  }
  const double factor = static_cast<double>(skipped.count) / marks.waves;
  const Progress& a = marks.at_begin;
  const Progress& b = marks.at_end;
  return {.at = scaled(b.at - a.at, factor),
          .traffic = {.l2_to_sm = scaled(b.traffic.l2_to_sm - a.traffic.l2_to_sm, factor),
                      .l2_output = scaled(b.traffic.l2_output - a.traffic.l2_output, factor),
                      .far = scaled(b.traffic.far - a.traffic.far, factor),
                      .dram_read = scaled(b.traffic.dram_read - a.traffic.dram_read, factor),
                      .dram_write = scaled(b.traffic.dram_write - a.traffic.dram_write, factor)},
          .tensor_busy = scaled(b.tensor_busy - a.tensor_busy, factor),
          .l2_busy = scaled(b.l2_busy - a.l2_busy, factor),
          .dram_busy = scaled(b.dram_busy - a.dram_busy, factor)};
}

SkippedTiles skipped_tiles(SkippedWaves skipped, const TileScheduler& s, u32 places,
                           const Tiling& t, const OperandBlocks& a, const OperandBlocks& b) {
  SkippedTiles sum{};
  const auto add = [&](u32 linear) {
    const TileCoord at = s.coord(linear);
    ++sum.tiles;
    for (i32 i = 0; i < t.cluster_m; ++i) {
      const i64 bytes = a.panel_bytes(at.m * static_cast<u32>(t.cluster_m) + static_cast<u32>(i));
      sum.l2_to_sm += bytes;
      sum.sm_intake += bytes * t.cluster_n;
    }
    for (i32 i = 0; i < t.cluster_n; ++i) {
      const i64 bytes = b.panel_bytes(at.n * static_cast<u32>(t.cluster_n) + static_cast<u32>(i));
      sum.l2_to_sm += bytes;
      sum.sm_intake += bytes * t.cluster_m;
    }
  };
  if (s.raster.walk == Walk::kChunked) {
    for (u32 worker = 0; worker < s.workers; ++worker) {
      const u32 from = s.first(worker) + skipped.after;
      for (u32 i = from; i < min_of(from + skipped.count, s.end(worker)); ++i) {
        add(i);
      }
    }
  } else {
    for (u32 i = skipped.after * places; i < (skipped.after + skipped.count) * places; ++i) {
      add(i);
    }
  }
  return sum;
}

}  // namespace tilecast
