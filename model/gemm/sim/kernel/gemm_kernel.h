// State of one GEMM kernel on a chip: its blocks, tile order, step costs and progress.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "model/base/tile_span.h"
#include "model/gemm/costs/kernel_costs.h"
#include "model/gemm/order/operand_panels.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/kernel/operand_blocks.h"
#include "model/gemm/sim/kernel/steady_waves.h"
#include "model/gemm/sim/kernel/step_log.h"
#include "model/sim/chip/chip.h"
#include "model/sim/chip/request_log.h"
#include "model/sim/parts/partial_sums.h"

namespace tilecast {

class Dispatcher;

/// Resident CTAs per SM, and resident workers (clusters) on the chip.
struct Residency {
  i32 ctas_per_sm;
  i32 workers;
  bool cold = false;  // code and descriptors are not in the caches of SMs and GPCs
};

/// Recorded requests of a simulated kernel.
struct GemmRequests : RequestLog {
  GemmShape shape;  // K may have been shortened (steady_k.h)
  Cycles cycles;    // duration of the kernel
  /// For a dynamic grid: the wave before which waves were skipped.
  std::optional<u32> settled_wave;
};

/// Optional outputs; null disables one, at no cost.
struct Observers {
  Activity* activity = nullptr;
  std::vector<TileSpan>* tiles = nullptr;
  GemmRequests* requests = nullptr;
  StepLog* steps = nullptr;
};

/// Input to replay a recorded request trace on a modified GPU, with the costs of partial sums on
/// that GPU.
struct Rerun {
  const GemmRequests& requests;
  const ReductionSpec& sums;
};

/// Simulate every wave of tiles, or skip the steady ones (steady_waves.h).
enum class Waves : i32 { kAll, kSteadyLeftOut };

struct GemmKernel {
  GemmKernel(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
             Residency residency, Hertz sm_clock, Waves waves, Observers observers,
             const Rerun* again);

  KernelConfig config;
  GemmShape shape;            // shape of each GEMM
  i32 c_column_bytes;         // bytes of C per column of A B
  OperandPanels panels;       // panels in CTA tiles
  std::vector<TileRow> rows;  // rows of CTA tiles, over all GEMMs or groups
  Residency residency;
  std::vector<KernelCosts> costs;  // costs by GPC
  TileScheduler scheduler;
  std::vector<u32> k_blocks_of_rows;  // K blocks of each row of CTA tiles; all equal if empty
  u32 k_blocks;                       // maximum over tiles
  WorkDecomposition work;
  WholeWaves whole;
  SkippedWaves skipped;
  OperandBlocks a, b;
  Chip chip;
  std::vector<i32> places;            // SMs in the order in which CTAs are assigned to them
  std::unique_ptr<PartialSums> sums;  // set if workers share tiles along K
  Dispatcher* dispatcher = nullptr;   // dispatcher of the running grid

  SimTime last_store;            // time at which the source of the last store has been read
  i64 k_blocks_multiplied = 0;   // counted per warpgroup
  i64 tiles_stored = 0;          // parts of tiles, counted per warpgroup
  std::vector<TileSpan>* tiles;  // receives the timeline unless null
  GemmRequests* requests;
  StepLog* steps;

  /// Number of warpgroups that store a CTA's tile, and number that multiply its K blocks.
  i64 parts_stored() const { return warpgroups_per_tile(config.tiling); }
  i64 parts_multiplied() const { return uses_tcgen05(config.schedule) ? 1 : parts_stored(); }

  /// Workers of the grid.
  u32 workers() const { return sums != nullptr ? work.workers : scheduler.workers; }

  SteadyMarks marks;
  std::optional<SettledRate>
      rate;  // set for a dynamic grid that skips waves once its rate has settled

  /// Records that a warpgroup's part of a tile is stored, and marks both ends of the steady waves.
  void part_stored() {
    if (++tiles_stored == marks.begin) {
      marks.at_begin = progress();
    } else if (tiles_stored == marks.end) {
      marks.at_end = progress();
    }
  }
  Progress progress() const;

  /// Linear index over the chip's CTA tiles.
  u32 tile_index(TileCoord cta_tile) const;
  /// Bytes of C in the warpgroup's part of a CTA's tile, and the name of that block.
  i64 c_bytes(TileCoord cta_tile, i32 warpgroup) const;
  u64 c_block(TileCoord cta_tile, i32 warpgroup) const;
  /// Bytes of the residual in chunks [first, end) of each warpgroup of a CTA's tile.
  i64 residual_bytes(TileCoord cta_tile, i32 first, i32 end) const;
};

}  // namespace tilecast
