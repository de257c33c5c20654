// Fast-forward: waves of tiles in the middle of a large kernel are left out, and what they would
// have added is worked out from those that were simulated.
//
// A wave is one tile for every place on the chip. The first waves fill L2 and let the CTAs drift
// into their steady order; the last ones and the partial one hold the tail. Those are simulated.
// Every worker leaves out the same tiles in between, as if the kernel were shorter. Time, bytes of
// L2 and DRAM and what is busy then grow by the mean of the later waves of the head for each wave
// left out; bytes that SMs take in, tiles and K blocks are counted exactly.
//
// Hybrids that split K have the tiles that they cut first, and whole waves behind them.
//
// Grids of one tile for each CTA have no waves but in number: places run at the clocks of their
// GPCs, refill when they are done and drift apart, some for twenty waves, so that fewer and fewer
// requests merge. There the jump waits until as many waves take as long as those before them
// (SettledRate), and the numbers of CTAs that are left out are never handed out.
//
// Waves of groups that differ stand for others where they read as much of B for the first time and
// store as many rows, nearly; else all are simulated, as always of groups along K that differ.
//
// Leaves out: what L2 holds at the jump (the first wave behind it finds less than it would),
// whatever changes from wave to wave in the middle, such as the turn from one band of the raster to
// the next, and how far GPCs drift apart there. Checked by: steady_waves_test.cpp, against whole
// simulations.
#pragma once

#include <array>

#include "model/gemm/order/operand_panels.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/gemm/sim/kernel/operand_blocks.h"
#include "model/sim/chip/memory_system.h"

namespace tilecast {

/// A kernel's whole waves.
struct WholeWaves {
  u32 count;
  u32 tiles;     // of one wave: places that have work in each
  u32 begin;     // linear index of the first tile; those before it are cut along K
  bool chunked;  // a worker's tiles are neighbours in the order
};
/// Of a kernel that splits K in every tile: none.
WholeWaves whole_waves(const TileScheduler& scheduler, const WorkDecomposition& work, u32 places);

/// Of the whole waves.
struct SkippedWaves {
  u32 after = 0;  // simulated before the jump
  u32 count = 0;  // left out
};

/// The waves that can be left out: none where the whole kernel is cheap to simulate, else as many
/// as make it so, but never those that hold its start and its tail. `steps_per_tile`: K blocks
/// loaded and multiplied for one tile of a worker, which is what a simulation takes its time for.
SkippedWaves steady_waves(const WholeWaves& waves, i64 steps_per_tile);
/// Of a resident grid's waves the same. Of groups that differ none, where those that would stand
/// for them find much more or less of B in L2, or have tiles that are much more or less full.
SkippedWaves steady_waves(const WholeWaves& waves, const GemmProblem& problem,
                          const KernelConfig& config, const TileScheduler& scheduler, i64 k_blocks);
/// Those that can be left out in front of wave `wave` of a grid whose rate has settled there.
SkippedWaves waves_left(const WholeWaves& waves, u32 wave);
/// The whole kernel is cheap to simulate.
bool is_cheap(const WholeWaves& waves, i64 steps_per_tile);
/// Up to which wave a rate that does not settle is waited for: no simulation takes longer.
u32 latest_wave(const WholeWaves& waves, i64 steps_per_tile);

/// K blocks loaded and multiplied for one tile of a worker.
i64 steps_per_tile(const KernelConfig& config, i64 k_blocks);
/// Steps of a kernel whose steady waves are left out, as soon as they can be.
i64 steps_without_steady(const WholeWaves& waves, const GemmProblem& problem,
                         const KernelConfig& config, const TileScheduler& scheduler, i64 k_blocks);

/// What the whole machine has done up to some time.
struct Progress {
  SimTime at;
  MemoryTraffic traffic;
  SimTime tensor_busy, l2_busy, dram_busy;
};

/// Where a kernel stands at each end of its steady waves, in parts of tiles stored.
struct SteadyMarks {
  i64 begin = -1, end = -1;  // none
  u32 waves = 0;             // between them
  Progress at_begin, at_end;
};

SteadyMarks steady_marks(SkippedWaves skipped, const WholeWaves& waves, i64 parts_per_tile);

/// Watches the waves of a grid of one tile for each CTA, as they are handed out, for the first that
/// the jump can follow.
class SettledRate {
  static constexpr u32 kCompared = 4;  // waves, with as many before them

 public:
  /// The first wave that can be: the very first one begins with L2 empty.
  static constexpr u32 kFirst = 2 * kCompared + 1;

  /// Not before wave `earliest`, and settled or not at `latest`.
  explicit SettledRate(u32 earliest = 0, u32 latest = ~0u) : earliest_(earliest), latest_(latest) {}

  /// Whether waves may be left out in front of wave `wave`, which begins now. Asked for each wave
  /// in turn.
  bool settled(u32 wave, const Progress& now);
  /// Of the waves that say so.
  SteadyMarks marks() const;

 private:
  u32 earliest_, latest_;
  std::array<Progress, kFirst> begins_;  // of the last waves, the latest first
};

/// What the waves left out add by the mean of the steady ones.
Progress of_skipped(const SteadyMarks& marks, SkippedWaves skipped);

/// What they take in and multiply, exactly.
struct SkippedTiles {
  i64 tiles;  // of workers
  i64 l2_to_sm, sm_intake;
};
SkippedTiles skipped_tiles(SkippedWaves skipped, const WholeWaves& waves,
                           const TileScheduler& scheduler, const KernelConfig& config,
                           const OperandPanels& panels, const OperandBlocks& a,
                           const OperandBlocks& b);

}  // namespace tilecast
