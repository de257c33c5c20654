#include "model/gemm/sim/kernel/steady_waves.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/kernel/first_reads.h"

namespace tilecast {
namespace {

constexpr u32 kLeastHead = 4;  // number of waves simulated before the jump
constexpr u32 kSettling = 2;   // number of first waves, which do not count as steady
constexpr u32 kLeastBehindCuts = 4,
              kSettlingBehindCuts = 1;  // the same for waves after split tiles
constexpr u32 kTail = 1;                // number of whole waves after the jump
constexpr u32 kWorthIt = 2;             // minimum number of waves worth skipping
constexpr i64 kCheap = 250'000;         // steps that are cheap to simulate: about 9 ms on one core
constexpr i64 kMost = 3'000'000;        // maximum number of steps while waiting for a steady rate
constexpr double kSettled = 0.005;      // relative change in time between groups of waves
constexpr double kAlikeFresh =
    0.02;  // tolerated difference in first reads of B, relative to a tile's operands
constexpr double kAlikeRows =
    0.05;                         // tolerated difference in stored rows, relative to a tile's rows
constexpr u32 kFewestChunks = 8;  // chunks may differ in length, so at least this many are needed

i64 scaled(i64 amount, double factor) { return std::llround(static_cast<double>(amount) * factor); }
SimTime scaled(SimTime time, double factor) { return {scaled(time.ps, factor)}; }

/// Averages per tile over some waves.
struct MeanTile {
  double fresh;  // panels of B read for the first time
  double rows;   // rows stored
};

/// Walks the waves of a grouped problem in order.
class GroupWaves {
 public:
  GroupWaves(const GemmProblem& problem, const Tiling& t, const TileScheduler& s,
             const WholeWaves& waves)
      : t_(t),
        s_(s),
        waves_(waves),
        rows_(cta_tile_rows(problem, t)),
        panels_(OperandPanels::of_clusters(problem, t)),
        seen_(panels_.of_b()) {}

  MeanTile next(u32 waves) {
    double tiles = 0;
    MeanTile sum{};
    for (const u32 end = wave_ + waves; wave_ < end; ++wave_) {
      for (u32 slot = 0; slot < waves_.tiles; ++slot) {
        const u32 tile = waves_.chunked ? s_.first(slot) + wave_ : wave_ * waves_.tiles + slot;
        if (tile >= (waves_.chunked ? s_.end(slot) : s_.num_tiles())) {
          continue;
        }
        const TileCoord at = s_.coord(tile);
        const u32 panel = panels_.b(at);
        tiles += 1;
        sum.fresh += seen_[panel] ? 0 : 1;
        sum.rows += static_cast<double>(stored_rows(at.m));
        seen_[panel] = true;
      }
    }
    return {sum.fresh / tiles, sum.rows / tiles};
  }

 private:
  i64 stored_rows(u32 tile_row) const {
    const i64 to_end = rows_[std::size_t{tile_row} * static_cast<std::size_t>(t_.cluster_m)].of_c;
    return std::min(to_end, i64{t_.block_m} * t_.cluster_m);
  }

  const Tiling& t_;
  const TileScheduler& s_;
  const WholeWaves& waves_;
  std::vector<TileRow> rows_;  // rows of CTA tiles
  OperandPanels panels_;
  std::vector<bool> seen_;
  u32 wave_ = 0;
};

}  // namespace

WholeWaves whole_waves(const TileScheduler& s, const WorkDecomposition& work, u32 places) {
  if (s.raster.walk == Walk::kChunked) {
    return {s.chunk, ceil_div(s.num_tiles(), s.chunk), 0, true};
  }
  const u32 whole = s.num_tiles() - work.streamed;
  const u32 tiles = max_of(1u, min_of(places, whole));
  return {whole / tiles, tiles, work.streamed, false};
}

SkippedWaves steady_waves(const WholeWaves& waves, i64 steps_per_tile) {
  if (waves.chunked && waves.tiles < kFewestChunks) {
    return {};
  }
  const i64 dear = kCheap - waves.begin * steps_per_tile;  // after the split tiles
  const u32 cheap = static_cast<u32>(max_of<i64>(0, dear) / (waves.tiles * steps_per_tile));
  const u32 head =
      max_of(waves.begin > 0 ? kLeastBehindCuts : kLeastHead, cheap > kTail ? cheap - kTail : 0);
  return waves_left(waves, head);
}

SkippedWaves steady_waves(const WholeWaves& waves, const GemmProblem& problem,
                          const KernelConfig& config, const TileScheduler& scheduler,
                          i64 k_blocks) {
  const SkippedWaves skipped = steady_waves(waves, steps_per_tile(config, k_blocks));
  if (grouped_along_k(problem)) {
    const bool all_alike =
        problem.groups->total() == problem.groups->largest() * problem.groups->count();
    return all_alike ? skipped : SkippedWaves{};
  }
  if (skipped.count == 0 || problem.groups == nullptr || problem.groups->are_equal()) {
    return skipped;
  }
  const Tiling& t = config.tiling;
  const double height = static_cast<double>(t.block_m) * t.cluster_m;
  const double width = static_cast<double>(t.block_n) * t.cluster_n;
  GroupWaves groups(problem, t, scheduler, waves);
  (void)groups.next(kSettling);
  const MeanTile steady = groups.next(skipped.after - kSettling);
  const MeanTile left_out = groups.next(skipped.count);
  const double fresh = std::abs(left_out.fresh - steady.fresh) * width / (height + width);
  const double rows = std::abs(left_out.rows - steady.rows) / height;
  return fresh < kAlikeFresh && rows < kAlikeRows ? skipped : SkippedWaves{};
}

SkippedWaves waves_left(const WholeWaves& waves, u32 wave) {
  return waves.count < wave + kTail + kWorthIt ? SkippedWaves{}
                                               : SkippedWaves{wave, waves.count - wave - kTail};
}

bool is_cheap(const WholeWaves& waves, i64 steps_per_tile) {
  return i64{waves.count} * waves.tiles * steps_per_tile <= kCheap;
}

u32 latest_wave(const WholeWaves& waves, i64 steps_per_tile) {
  const i64 wave = kMost / (i64{waves.tiles} * steps_per_tile);
  return static_cast<u32>(std::clamp<i64>(wave, SettledRate::kFirst, ~0u));
}

i64 steps_per_tile(const KernelConfig& config, i64 k_blocks) {
  return k_blocks * cluster_size(config.tiling) * (1 + warpgroups_per_tile(config.tiling));
}

i64 steps_without_steady(const WholeWaves& waves, const GemmProblem& problem,
                         const KernelConfig& config, const TileScheduler& scheduler, i64 k_blocks) {
  const i64 per_tile = steps_per_tile(config, k_blocks);
  const i64 skipped = config.grid == Grid::kResident
                          ? steady_waves(waves, problem, config, scheduler, k_blocks).count
                          : waves_left(waves, SettledRate::kFirst).count;
  return (i64{scheduler.num_tiles()} - skipped * waves.tiles) * per_tile;
}

bool SettledRate::settled(u32 wave, const Progress& now) {
  std::shift_right(begins_.begin(), begins_.end(), 1);
  begins_.front() = now;
  if (wave < std::max(kFirst, earliest_)) {
    return false;
  }
  if (wave >= latest_) {
    return true;
  }
  const double last = static_cast<double>((now.at - begins_[kCompared].at).ps);
  const double before = static_cast<double>((begins_[kCompared].at - begins_.back().at).ps);
  return std::abs(last / before - 1) < kSettled;
}

SteadyMarks SettledRate::marks() const {
  return {.waves = 2 * kCompared, .at_begin = begins_.back(), .at_end = begins_.front()};
}

SteadyMarks steady_marks(SkippedWaves skipped, const WholeWaves& waves, i64 parts_per_tile) {
  if (skipped.count == 0) {
    return {};
  }
  const u32 settling = waves.begin > 0 ? kSettlingBehindCuts : kSettling;
  return {.begin = (waves.begin + i64{waves.tiles} * settling) * parts_per_tile,
          .end = (waves.begin + i64{waves.tiles} * skipped.after) * parts_per_tile,
          .waves = skipped.after - settling,
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

SkippedTiles skipped_tiles(SkippedWaves skipped, const WholeWaves& waves, const TileScheduler& s,
                           const KernelConfig& config, const OperandPanels& panels,
                           const OperandBlocks& a, const OperandBlocks& b) {
  const Tiling& t = config.tiling;
  // The CTAs of a pair split B.
  const i32 b_copies = uses_tcgen05(config.schedule) ? 1 : t.cluster_m;
  // The simulated tiles are few in a large kernel, so they are subtracted from all tiles.
  SkippedTiles sum{.tiles = s.num_tiles(), .l2_to_sm = 0, .sm_intake = 0};
  const auto add_a = [&](u32 panel, i64 times) {
    const i64 bytes = a.panel_bytes(panel) * times;
    sum.l2_to_sm += bytes;
    sum.sm_intake += bytes * t.cluster_n;
  };
  const auto add_b = [&](u32 panel, i64 times) {
    const i64 bytes = b.panel_bytes(panel) * times;
    sum.l2_to_sm += bytes;
    sum.sm_intake += bytes * b_copies;
  };
  const u32 cluster_m = static_cast<u32>(t.cluster_m), cluster_n = static_cast<u32>(t.cluster_n);
  for (u32 panel = 0; panel < panels.of_a(); ++panel) {
    add_a(panel, s.num_tiles() * cluster_m / panels.of_a());
  }
  const std::vector<u32> readers = panels.readers_of_b();  // rows of CTA tiles per matrix
  for (u32 panel = 0; panel < panels.of_b(); ++panel) {
    add_b(panel, readers[panel / panels.columns()] / cluster_m);
  }
  const auto leave = [&](u32 first, u32 end) {
    for (u32 linear = first; linear < end; ++linear) {
      const TileCoord at = s.coord(linear);
      --sum.tiles;
      for (u32 i = 0; i < cluster_m; ++i) {
        add_a(panels.a({at.m * cluster_m + i, 0}), -1);
      }
      for (u32 i = 0; i < cluster_n; ++i) {
        add_b(panels.b({at.m * cluster_m, at.n * cluster_n + i}), -1);
      }
    }
  };
  each_simulated_range(skipped, waves, s, leave);
  return sum;
}

}  // namespace tilecast
