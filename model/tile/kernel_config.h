// How one kernel orders its work: Schedule + Tiling + Raster. A prediction and a measurement of the
// same KernelConfig describe the same kernel; its canonical text (kernel_config_text.h) joins them.
// Integers and enums only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/tile/raster.h"

namespace tilecast {

enum class Schedule : i32 {
  kSmallMma,           // one CTA, one tile, one K block
  kBlocked,            // one tile per CTA, one buffer: load, wait, wgmma, wait
  kBlockedPipelined,   // two buffers: a load is waited for at once, under the last K block's wgmma
  kPipelined,          // a ring of stages, TMA and wgmma both asynchronous
  kPersistent,         // the same inside a loop over tiles, one CTA per SM slot
  kPersistentOverlap,  // the next tile's loads run under this tile's last wgmmas and its epilogue
  kWarpSpecialized,    // one producer warpgroup, n consumer warpgroups that share a tile
  kPingPong,           // one producer, two consumer warpgroups that take tiles in turn
  // warp_specialized with tiles shared along K (work_decomposition.h):
  kSplitK,         // every tile in equal parts
  kSplitKHybrid,   // so for the partial wave; whole tiles for the rest
  kStreamK,        // every worker the same number of K blocks
  kStreamKHybrid,  // so for the partial wave and one full one; whole tiles for the rest
  // On Blackwell, accumulators in tensor memory (tensor_memory.h):
  kTcgen05Pipelined,          // one warp loads and issues, a ring of stages, one tile per CTA
  kTcgen05Persistent,         // the same inside a loop over tiles
  kTcgen05PersistentOverlap,  // the next tile's loads run under this tile's last MMAs and epilogue
  kTcgen05WarpSpecialized,    // a warp that loads, one that issues, one that asks for tiles, four
                              // that store
};

/// Of the wgmma kernels.
constexpr Schedule kEverySchedule[] = {
    Schedule::kSmallMma,        Schedule::kBlocked,    Schedule::kBlockedPipelined,
    Schedule::kPipelined,       Schedule::kPersistent, Schedule::kPersistentOverlap,
    Schedule::kWarpSpecialized, Schedule::kPingPong,   Schedule::kSplitK,
    Schedule::kSplitKHybrid,    Schedule::kStreamK,    Schedule::kStreamKHybrid,
};

constexpr Schedule kTcgen05Schedules[] = {Schedule::kTcgen05Pipelined, Schedule::kTcgen05Persistent,
                                          Schedule::kTcgen05PersistentOverlap,
                                          Schedule::kTcgen05WarpSpecialized};

/// Where the A operand of a wgmma comes from. Registers are loaded from shared memory first.
enum class OperandSource : i32 { kShared, kRegisters };

/// How the partial sums of a tile that several workers share become C.
enum class Reduction : i32 {
  kTurnstile,  // added to a workspace one after the other in the order of K; the last part stores C
  kAtomic,     // added in any order; the part that ends K waits for the others and stores C
  kSpread,     // kept apart in a workspace; each worker sums a slice of the tile, in the order of K
};

enum class Grid : i32 {
  kTiles,     // a CTA (cluster) per tile, in the hardware's order
  kResident,  // as many as fit at once, each looping over tiles
  kTakeover,  // as kTiles; what runs takes over the tiles of what has not started
};

/// When a finished tile goes to C.
enum class Store : i32 {
  kAtTileEnd,  // before the next tile begins
  kDeferred,   // packed in registers, chunk by chunk under the next tile's first K blocks
};

struct Tiling {
  i32 block_m, block_n, block_k;   // CTA tile in elements
  i32 stages;                      // buffers of the A and B rings
  i32 warpgroups_m, warpgroups_n;  // that split a tile's rows and columns between them
  i32 cluster_m, cluster_n;        // CTAs that share B (along m) and A (along n) by multicast
  i32 c_slots;  // staging buffers of C per warpgroup; 0: C borrows stages (smem_layout.h)

  constexpr bool operator==(const Tiling&) const = default;
};

/// Of the schedules that share tiles along K; zero in the others.
struct Decomposition {
  i32 splits;        // equal parts of a tile; of split_k and its hybrid
  i32 min_k_blocks;  // shorter parts are left to a neighbour; of stream_k and its hybrid
  Reduction reduction;

  constexpr bool operator==(const Decomposition&) const = default;
};

struct KernelConfig {
  Schedule schedule;
  Tiling tiling;
  i32 ctas_per_sm;  // promised to the compiler, so that registers allow it
  // K blocks left outstanding: 0, 1 or 2 wgmma groups of a warpgroup. tcgen05 with 0: a K block's
  // MMAs are issued once those of the one before are complete.
  i32 inflight;
  i32 producer_registers;  // per thread of the producer warpgroup; 0 where there is none
  OperandSource a_source;
  i32 instruction_n;  // of every wgmma; 0: the widest that divides a warpgroup's columns
  Grid grid;
  Raster raster;
  Decomposition decomposition;
  i32 accumulators;  // tiles that tensor memory holds, 1 or 2; 0 where they lie in registers
  Store store;

  constexpr bool operator==(const KernelConfig&) const = default;
};

constexpr i32 kThreadsPerWarpgroup = 128;
constexpr i32 kWarpsPerWarpgroup = 4;
constexpr i32 kWgmmaM = 64;  // rows of one wgmma
constexpr i32 kWgmmaK = 16;  // K elements of one 16-bit wgmma
constexpr i32 kMostInstructionN = 256;
constexpr i32 kSlabColumns = 64;       // of N-major B in shared memory: 128 bytes, one swizzle row
constexpr i32 kInstructionNStep = 16;  // of the kernels; the hardware also takes odd multiples of 8

/// Workers may share a tile along K.
TILECAST_HD constexpr bool splits_k(Schedule schedule) {
  return schedule == Schedule::kSplitK || schedule == Schedule::kSplitKHybrid ||
         schedule == Schedule::kStreamK || schedule == Schedule::kStreamKHybrid;
}

/// They do so in equal parts, `splits` of them.
TILECAST_HD constexpr bool splits_equally(Schedule schedule) {
  return schedule == Schedule::kSplitK || schedule == Schedule::kSplitKHybrid;
}

/// Accumulators lie in tensor memory, and one thread issues the MMAs.
TILECAST_HD constexpr bool uses_tcgen05(Schedule schedule) {
  return schedule == Schedule::kTcgen05Pipelined || schedule == Schedule::kTcgen05Persistent ||
         schedule == Schedule::kTcgen05PersistentOverlap ||
         schedule == Schedule::kTcgen05WarpSpecialized;
}

/// Its loads run ahead over tiles without a warp of their own, and C may borrow B stages.
TILECAST_HD constexpr bool is_persistent_overlap(Schedule schedule) {
  return schedule == Schedule::kPersistentOverlap ||
         schedule == Schedule::kTcgen05PersistentOverlap;
}

/// One warpgroup neither multiplies nor stores: it loads and, on Blackwell, issues.
TILECAST_HD constexpr bool has_producer_warpgroup(Schedule schedule) {
  return schedule == Schedule::kWarpSpecialized || schedule == Schedule::kPingPong ||
         schedule == Schedule::kTcgen05WarpSpecialized || splits_k(schedule);
}

/// What a schedule leaves no choice in; the rest of the configuration is zero.
TILECAST_HD constexpr KernelConfig fixed_by_schedule(Schedule schedule) {
  KernelConfig config{};
  config.schedule = schedule;
  config.tiling.stages = schedule == Schedule::kBlockedPipelined ? 2 : 1;
  config.tiling.warpgroups_m = config.tiling.warpgroups_n = 1;
  config.tiling.cluster_m = config.tiling.cluster_n = 1;
  config.ctas_per_sm = 1;
  config.inflight = schedule == Schedule::kBlockedPipelined ? 1 : 0;
  config.raster.group = 1;
  config.grid = schedule == Schedule::kPersistent || is_persistent_overlap(schedule) ||
                        schedule == Schedule::kTcgen05Persistent ||
                        schedule == Schedule::kPingPong || splits_k(schedule)
                    ? Grid::kResident
                    : Grid::kTiles;
  config.accumulators = uses_tcgen05(schedule) ? 1 : 0;
  return config;
}

/// CTAs of a cluster may share operands by multicast.
TILECAST_HD constexpr bool takes_clusters(Schedule schedule) {
  return !uses_tcgen05(schedule) &&
         (has_producer_warpgroup(schedule) || schedule == Schedule::kPersistentOverlap);
}

/// Tiles that the warpgroups of one CTA work on at the same time.
TILECAST_HD constexpr i32 tiles_at_once(Schedule schedule) {
  return schedule == Schedule::kPingPong ? 2 : 1;
}

/// Warpgroups that share one tile.
TILECAST_HD constexpr i32 warpgroups_per_tile(const Tiling& tiling) {
  return tiling.warpgroups_m * tiling.warpgroups_n;
}

/// Warpgroups of a CTA that issue wgmma.
TILECAST_HD constexpr i32 consumer_warpgroups(Schedule schedule, const Tiling& tiling) {
  return warpgroups_per_tile(tiling) * tiles_at_once(schedule);
}

TILECAST_HD constexpr i32 threads_per_cta(Schedule schedule, const Tiling& tiling) {
  return kThreadsPerWarpgroup *
         (consumer_warpgroups(schedule, tiling) + (has_producer_warpgroup(schedule) ? 1 : 0));
}

TILECAST_HD constexpr i32 cluster_size(const Tiling& tiling) {
  return tiling.cluster_m * tiling.cluster_n;
}

/// CTAs that share one tcgen05 instruction: the cluster, of 1 or 2 along m.
TILECAST_HD constexpr i32 cta_group(const Tiling& tiling) { return tiling.cluster_m; }

/// Rows and columns of C that one warpgroup computes.
TILECAST_HD constexpr i32 warpgroup_rows(const Tiling& tiling) {
  return tiling.block_m / tiling.warpgroups_m;
}
TILECAST_HD constexpr i32 warpgroup_columns(const Tiling& tiling) {
  return tiling.block_n / tiling.warpgroups_n;
}

TILECAST_HD constexpr i32 instruction_n(const KernelConfig& config) {
  if (config.instruction_n > 0) {
    return config.instruction_n;
  }
  const i32 columns = warpgroup_columns(config.tiling);
  i32 instructions = ceil_div(columns, kMostInstructionN);
  while (columns % (instructions * kInstructionNStep) != 0 && columns > kInstructionNStep) {
    ++instructions;
  }
  return columns / instructions;
}

/// Wgmmas along M and N that one warpgroup issues for each k16 step.
TILECAST_HD constexpr i32 wgmmas_along_m(const Tiling& tiling) {
  return warpgroup_rows(tiling) / kWgmmaM;
}
TILECAST_HD constexpr i32 wgmmas_along_n(const KernelConfig& config) {
  return warpgroup_columns(config.tiling) / instruction_n(config);
}

/// Whether wgmmas can read N-major B, which lies in slabs of 64 columns: each starts a slab or
/// stays inside one.
TILECAST_HD constexpr bool wgmmas_keep_to_slabs(const KernelConfig& config) {
  const i32 n = instruction_n(config);
  for (i32 column = 0; column < warpgroup_columns(config.tiling); column += n) {
    const i32 in_slab = column % kSlabColumns;
    if (in_slab != 0 && in_slab + n > kSlabColumns) {
      return false;
    }
  }
  return warpgroup_columns(config.tiling) % kSlabColumns == 0;
}

/// fp32 accumulator registers of one consumer thread.
TILECAST_HD constexpr i32 accumulator_registers(const Tiling& tiling) {
  return warpgroup_rows(tiling) * warpgroup_columns(tiling) / kThreadsPerWarpgroup;
}

}  // namespace tilecast
