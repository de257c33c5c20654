// Fast-forwards a simulation: waves of tiles in the middle of a large kernel are skipped, and their
// contribution is extrapolated from the simulated ones.
//
// A wave is one tile per slot of the chip. The first waves fill L2 and let the CTAs reach a steady
// order; the last whole waves and the partial one form the tail. Both ends are simulated. Every
// worker skips the same tiles in between, as if the kernel were shorter. Per skipped wave, time, L2
// and DRAM bytes and busy times grow by the mean of the later simulated waves; SM fills, tiles and
// K blocks are counted exactly.
//
// Hybrids that split K run their split tiles first, then whole waves.
//
// In grids with one tile per CTA, a wave is only a number of tiles: slots run at their GPC's clock,
// refill as soon as they are done and drift apart, some for twenty waves, so that fewer and fewer
// requests merge. Such a grid skips ahead only after N consecutive waves had equal durations
// (SettledRate), and the CTAs of skipped waves never start.
//
// With groups of unequal size, waves represent others only if they have nearly the same first reads
// of B and stored rows; otherwise, and always for unequal groups along K, all are simulated.
//
// Not modelled: L2's content at the jump (the first wave after it hits less than it should),
// changes from wave to wave in the middle, such as from one swizzle group to the next, and drift of
// GPCs there. Checked by: steady_waves_test.cpp, against whole simulations.
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
  u32 tiles;     // tiles per wave: slots with work in each
  u32 begin;     // linear index of the first tile; earlier tiles are split along K
  bool chunked;  // a worker's tiles are contiguous
};
/// Returns no waves if every tile is split along K.
WholeWaves whole_waves(const TileScheduler& scheduler, const WorkDecomposition& work, u32 places);

/// A range of whole waves to skip.
struct SkippedWaves {
  u32 after = 0;  // waves simulated before the jump
  u32 count = 0;  // waves skipped
};

/// Returns the waves to skip: none if the whole kernel is cheap to simulate, otherwise enough to
/// make it so, but never its start and tail. `steps_per_tile`: K blocks loaded and multiplied per
/// tile of a worker, which dominate the simulation's time.
SkippedWaves steady_waves(const WholeWaves& waves, i64 steps_per_tile);
/// Returns the waves to skip in a persistent grid. For unequal groups none, if the waves that would
/// represent others differ much in L2 hits of B or in how full their tiles are.
SkippedWaves steady_waves(const WholeWaves& waves, const GemmProblem& problem,
                          const KernelConfig& config, const TileScheduler& scheduler, i64 k_blocks);
/// Returns the waves to skip before wave `wave`, if the rate of the grid has settled there.
SkippedWaves waves_left(const WholeWaves& waves, u32 wave);
/// Whether the whole kernel is cheap to simulate.
bool is_cheap(const WholeWaves& waves, i64 steps_per_tile);
/// Last wave before which to wait for a settled rate, because that takes simulation time.
u32 latest_wave(const WholeWaves& waves, i64 steps_per_tile);

/// Number of K blocks loaded and multiplied per tile of a worker.
i64 steps_per_tile(const KernelConfig& config, i64 k_blocks);
/// Number of steps of a simulation that skips steady waves as soon as it can.
i64 steps_without_steady(const WholeWaves& waves, const GemmProblem& problem,
                         const KernelConfig& config, const TileScheduler& scheduler, i64 k_blocks);

/// Cumulative work of the machine at some time.
struct Progress {
  SimTime at;
  MemoryTraffic traffic;
  SimTime tensor_busy, l2_busy, dram_busy;
};

/// Progress at both ends of the steady waves, in stored parts of tiles.
struct SteadyMarks {
  i64 begin = -1, end = -1;  // -1 if none
  u32 waves = 0;             // number of waves between them
  Progress at_begin, at_end;
};

SteadyMarks steady_marks(SkippedWaves skipped, const WholeWaves& waves, i64 parts_per_tile);

/// Watches the waves of a grid with one tile per CTA as they start, and finds the first one before
/// which waves may be skipped.
class SettledRate {
  // number of waves that are compared with the same number before them
  static constexpr u32 kCompared = 4;

 public:
  /// First wave that can be compared; the very first wave is excluded because L2 is empty.
  static constexpr u32 kFirst = 2 * kCompared + 1;

  /// Skips waves no earlier than `earliest`, and at `latest` even if the rate has not settled.
  explicit SettledRate(u32 earliest = 0, u32 latest = ~0u) : earliest_(earliest), latest_(latest) {}

  /// Whether waves may be skipped before wave `wave`, which begins now. Must be called for every
  /// wave, in order.
  bool settled(u32 wave, const Progress& now);
  /// Marks of the waves that were compared.
  SteadyMarks marks() const;

 private:
  u32 earliest_, latest_;
  std::array<Progress, kFirst> begins_;  // starts of the last waves, latest first
};

/// Contribution of the skipped waves, extrapolated from the mean of the steady ones.
Progress of_skipped(const SteadyMarks& marks, SkippedWaves skipped);

/// Exact counts for the skipped waves.
struct SkippedTiles {
  i64 tiles;  // counted by workers
  i64 l2_to_sm, sm_intake;
};
SkippedTiles skipped_tiles(SkippedWaves skipped, const WholeWaves& waves,
                           const TileScheduler& scheduler, const KernelConfig& config,
                           const OperandPanels& panels, const OperandBlocks& a,
                           const OperandBlocks& b);

}  // namespace tilecast
