// One GEMM kernel on a chip: the blocks of the problem, the order of its tiles, what its steps
// take, and what has been done so far.
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

/// CTAs of a kernel that are resident at once: on an SM, and workers (clusters) on the chip.
struct Residency {
  i32 ctas_per_sm;
  i32 workers;
  bool cold = false;  // the kernel's code and descriptors are not in the caches of SMs and GPCs
};

/// The requests of a kernel that was simulated.
struct GemmRequests : RequestLog {
  GemmShape shape;  // of which K may be cut short (steady_k.h)
  Cycles cycles;    // that it took
  /// The wave in front of which waves were left out, of a grid that decides as it runs.
  std::optional<u32> settled_wave;
};

/// What a caller may ask to see besides; null leaves it out, at no cost.
struct Observers {
  Activity* activity = nullptr;
  std::vector<TileSpan>* tiles = nullptr;
  GemmRequests* requests = nullptr;
  StepLog* steps = nullptr;
};

/// A kernel that was simulated before, and is again on a GPU that differs: its requests, which
/// become what they became then, and what its partial sums take now.
struct Rerun {
  const GemmRequests& requests;
  const ReductionSpec& sums;
};

/// Whether every wave of tiles is simulated, or the steady ones are left out (steady_waves.h).
enum class Waves : i32 { kAll, kSteadyLeftOut };

struct GemmKernel {
  GemmKernel(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
             Residency residency, Hertz sm_clock, Waves waves, Observers observers,
             const Rerun* again);

  KernelConfig config;
  GemmShape shape;            // of each product
  i32 c_column_bytes;         // that a column of A B leaves in C
  OperandPanels panels;       // of CTA tiles
  std::vector<TileRow> rows;  // of CTA tiles, of all products or groups
  Residency residency;
  std::vector<KernelCosts> costs;  // on each GPC
  TileScheduler scheduler;
  std::vector<u32> k_blocks_of_rows;  // of a tile in each row of CTA tiles; empty: all have
  u32 k_blocks;                       // the most that one has
  WorkDecomposition work;
  WholeWaves whole;
  SkippedWaves skipped;
  OperandBlocks a, b;
  Chip chip;
  std::vector<i32> places;            // SMs in the order in which CTAs come to them
  std::unique_ptr<PartialSums> sums;  // where workers share tiles along K
  Dispatcher* dispatcher = nullptr;   // of the grid that runs

  SimTime last_store;            // read from shared memory
  i64 k_blocks_multiplied = 0;   // by a warpgroup
  i64 tiles_stored = 0;          // parts of tiles, by a warpgroup
  std::vector<TileSpan>* tiles;  // null: not asked for
  GemmRequests* requests;
  StepLog* steps;

  /// Of a CTA's tile, those who store it, and those who multiply its K blocks.
  i64 parts_stored() const { return warpgroups_per_tile(config.tiling); }
  i64 parts_multiplied() const { return uses_tcgen05(config.schedule) ? 1 : parts_stored(); }

  /// Workers of the grid.
  u32 workers() const { return sums != nullptr ? work.workers : scheduler.workers; }

  SteadyMarks marks;
  std::optional<SettledRate> rate;  // of a grid whose steady waves are left out once it has one

  /// A warpgroup's part of a tile is stored; notes the ends of the steady waves.
  void part_stored() {
    if (++tiles_stored == marks.begin) {
      marks.at_begin = progress();
    } else if (tiles_stored == marks.end) {
      marks.at_end = progress();
    }
  }
  Progress progress() const;

  /// In order over the chip's CTA tiles.
  u32 tile_index(TileCoord cta_tile) const;
  /// The C that the warpgroup's part of a CTA's tile covers, and its name.
  i64 c_bytes(TileCoord cta_tile, i32 warpgroup) const;
  u64 c_block(TileCoord cta_tile, i32 warpgroup) const;
  /// Of R, in chunks [first, end) of each warpgroup of a CTA's tile.
  i64 residual_bytes(TileCoord cta_tile, i32 first, i32 end) const;
};

}  // namespace tilecast
