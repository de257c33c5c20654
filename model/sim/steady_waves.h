// Fast-forward: waves of tiles in the middle of a large kernel are left out, and what they would
// have added is worked out from those that were simulated.
//
// A wave is one tile for every place on the chip. The first waves fill L2 and let the CTAs drift
// into their steady order; the last ones and the partial one hold the tail. Those are simulated.
// Every worker leaves out the same tiles in between, as if the kernel were shorter. Time, bytes of
// L2 and DRAM and what is busy then grow by the mean of the later waves of the head for each wave
// left out; bytes that SMs take in, tiles and K blocks are counted exactly.
//
// Not of grids of one tile for each CTA: their SMs run at the clocks of their GPCs and drift apart
// from wave to wave, so that no wave is like the one before.
//
// Leaves out: what L2 holds at the jump (the first wave behind it finds less than it would), and
// whatever changes from wave to wave in the middle, such as the turn from one band of the raster to
// the next. Checked by: steady_waves_test.cpp, against whole simulations.
#pragma once

#include "model/sim/memory_system.h"
#include "model/sim/operand_blocks.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {

/// Whole waves, as every worker counts its tiles.
struct SkippedWaves {
  u32 after = 0;  // simulated before the jump
  u32 count = 0;  // left out
};

/// The waves that can be left out: none where the whole kernel is cheap to simulate, else as many
/// as make it so, but never those that hold its start and its tail. `steps_per_tile`: K blocks
/// loaded and multiplied for one tile of a worker, which is what a simulation takes its time for.
SkippedWaves steady_waves(const TileScheduler& scheduler, u32 places, i64 steps_per_tile);

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

SteadyMarks steady_marks(SkippedWaves skipped, const TileScheduler& scheduler, u32 places,
                         i64 parts_per_tile);

/// What the waves left out add by the mean of the steady ones.
Progress of_skipped(const SteadyMarks& marks, SkippedWaves skipped);

/// What they take in and multiply, exactly.
struct SkippedTiles {
  i64 tiles;  // of workers
  i64 l2_to_sm, sm_intake;
};
SkippedTiles skipped_tiles(SkippedWaves skipped, const TileScheduler& scheduler, u32 places,
                           const Tiling& tiling, const OperandBlocks& a, const OperandBlocks& b);

}  // namespace tilecast
