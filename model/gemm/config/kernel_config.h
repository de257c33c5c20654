// Describes how one kernel organizes its work: Schedule + Tiling + Raster. A prediction and a
// measurement with the same KernelConfig describe the same kernel; its canonical string
// (kernel_config_text.h) is the join key. Integers and enums only; compiled by the host compiler,
// nvcc and NVRTC.
#pragma once

#include "model/base/element_type.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/gemm/config/schedule.h"
#include "model/gemm/order/raster.h"

namespace tilecast {

/// Source of a wgmma's A operand. Register operands are first loaded from shared memory.
enum class OperandSource : i32 { kShared, kRegisters };

/// How the partial sums of a shared tile are combined into C.
enum class Reduction : i32 {
  kTurnstile,  // serial, in order of K, into a workspace; the last piece stores C
  kAtomic,     // atomic additions in any order; the piece that ends K waits for the others and
               // stores C
  kSpread,     // separate buffers in a workspace; each worker sums a slice of the tile, in order of
               // K
};

/// When a finished tile is stored to C.
enum class Store : i32 {
  kAtTileEnd,  // before the next tile begins
  kDeferred,   // packed in registers, stored chunk by chunk during the next tile's first K blocks
};

/// Operand that supplies the rows of the tile (swapped_operands.h).
enum class OperandOrder : i32 {
  kInOrder,  // A supplies them: a tile is a tile of C
  kSwapped,  // B supplies them: a tile is a tile of C transposed
};

struct Tiling {
  i32 block_m, block_n, block_k;   // CTA tile in elements
  i32 stages;                      // depth of the A and B rings
  i32 warpgroups_m, warpgroups_n;  // warpgroups that split a tile's rows and columns
  i32 cluster_m, cluster_n;        // CTAs that share B (along m) and A (along n) by multicast
  i32 c_slots;  // staging buffers of C per warpgroup; if 0, C aliases pipeline stages
                // (smem_layout.h)
  // Bytes per element of A and B. Set from the problem (for_operands) and not part of the
  // configuration's string.
  i32 operand_bytes = 2;

  /// Ignores operand_bytes.
  TILECAST_HD constexpr bool operator==(const Tiling& t) const {
    return block_m == t.block_m && block_n == t.block_n && block_k == t.block_k &&
           stages == t.stages && warpgroups_m == t.warpgroups_m && warpgroups_n == t.warpgroups_n &&
           cluster_m == t.cluster_m && cluster_n == t.cluster_n && c_slots == t.c_slots;
  }
};

/// Parameters of schedules that split K; zero in the others.
struct Decomposition {
  i32 splits;        // number of equal parts per tile, for split_k and its hybrid
  i32 min_k_blocks;  // minimum part length, for stream_k and its hybrid
  Reduction reduction;

  constexpr bool operator==(const Decomposition&) const = default;
};

struct KernelConfig {
  Schedule schedule;
  Tiling tiling;
  i32 ctas_per_sm;  // promised to the compiler, which limits registers accordingly
  // Number of wgmma groups, one per K block, that a warpgroup leaves in flight: 0, 1 or 2. For
  // tcgen05, 0 means that a K block's MMAs are issued after the previous block's are complete.
  i32 inflight;
  i32 producer_registers;  // registers per producer thread; 0 without a producer
  OperandSource a_source;
  i32 instruction_n;  // N of every wgmma; if 0, the widest that divides a warpgroup's columns
  Grid grid;
  Raster raster;
  Decomposition decomposition;
  i32 accumulators;  // tiles in tensor memory, 1 or 2; 0 with register accumulators
  Store store;
  OperandOrder operands;

  constexpr bool operator==(const KernelConfig&) const = default;
};

constexpr i32 kThreadsPerWarpgroup = 128;
constexpr i32 kWarpsPerWarpgroup = 4;
constexpr i32 kWgmmaM = 64;             // rows of one wgmma
constexpr i32 kInstructionKBytes = 32;  // bytes of K per wgmma
constexpr i32 kMostInstructionN = 256;
constexpr i32 kSlabColumns = 64;  // slab of N-major B in shared memory: 128 bytes, one swizzle row
constexpr i32 kInstructionNStep = 16;  // granularity of N if several instructions cover the columns

/// Returns the parts of a configuration that the schedule determines; the rest is zero.
TILECAST_HD constexpr KernelConfig fixed_by_schedule(Schedule schedule) {
  const ScheduleTraits traits = traits_of(schedule);
  const bool two = traits.buffers == Buffers::kTwo;
  KernelConfig config{};
  config.schedule = schedule;
  config.tiling.stages = two ? 2 : 1;
  config.tiling.warpgroups_m = config.tiling.warpgroups_n = 1;
  config.tiling.cluster_m = config.tiling.cluster_n = 1;
  config.ctas_per_sm = 1;
  config.inflight = two ? 1 : 0;
  config.raster.group = 1;
  config.grid = traits.grid;
  config.accumulators = uses_tcgen05(schedule) ? 1 : 0;
  return config;
}

/// Returns the configuration with operand_bytes of this type. Call it whenever configuration and
/// problem are combined.
TILECAST_HD constexpr KernelConfig for_operands(ElementType type, KernelConfig config) {
  config.tiling.operand_bytes = element_bytes(type);
  return config;
}

/// K elements per instruction, and instructions per K block.
TILECAST_HD constexpr i32 instruction_k(const Tiling& tiling) {
  return kInstructionKBytes / tiling.operand_bytes;
}
TILECAST_HD constexpr i32 k_steps(const Tiling& tiling) {
  return tiling.block_k / instruction_k(tiling);
}

/// Warpgroups that share one tile.
TILECAST_HD constexpr i32 warpgroups_per_tile(const Tiling& tiling) {
  return tiling.warpgroups_m * tiling.warpgroups_n;
}

/// Warpgroups of a CTA that issue wgmma.
TILECAST_HD constexpr i32 consumer_warpgroups(Schedule schedule, const Tiling& tiling) {
  return warpgroups_per_tile(tiling) * traits_of(schedule).tiles_at_once;
}

TILECAST_HD constexpr i32 threads_per_cta(Schedule schedule, const Tiling& tiling) {
  return kThreadsPerWarpgroup *
         (consumer_warpgroups(schedule, tiling) + (has_producer_warpgroup(schedule) ? 1 : 0));
}

TILECAST_HD constexpr i32 cluster_size(const Tiling& tiling) {
  return tiling.cluster_m * tiling.cluster_n;
}

/// Whether the kernel supports groups of rows with a separate B each (group_rows.h).
TILECAST_HD constexpr bool walks_groups(const KernelConfig& config) {
  return traits_of(config.schedule).walks_groups && config.grid == Grid::kResident;
}

/// CTAs that share one tcgen05 instruction: the cluster, of 1 or 2 along M.
TILECAST_HD constexpr i32 cta_group(const Tiling& tiling) { return tiling.cluster_m; }

/// Rows and columns of C that one warpgroup computes.
TILECAST_HD constexpr i32 warpgroup_rows(const Tiling& tiling) {
  return tiling.block_m / tiling.warpgroups_m;
}
TILECAST_HD constexpr i32 warpgroup_columns(const Tiling& tiling) {
  return tiling.block_n / tiling.warpgroups_n;
}

/// Granularity of one wgmma's N. It is a function because a constant would add a symbol to every
/// cubin.
TILECAST_HD consteval i32 finest_n_step() { return 8; }

/// Whether a warpgroup's columns are an odd multiple of eight. One wgmma then covers them, and the
/// rows of C end in a partial swizzle row (smem_layout.h).
TILECAST_HD constexpr bool in_odd_eights(const Tiling& tiling) {
  return warpgroup_columns(tiling) % kInstructionNStep == finest_n_step();
}

TILECAST_HD constexpr i32 instruction_n(const KernelConfig& config) {
  if (config.instruction_n > 0) {
    return config.instruction_n;
  }
  const i32 columns = warpgroup_columns(config.tiling);
  if (in_odd_eights(config.tiling)) {
    return columns;
  }
  i32 instructions = ceil_div(columns, kMostInstructionN);
  while (columns % (instructions * kInstructionNStep) != 0 && columns > kInstructionNStep) {
    ++instructions;
  }
  return columns / instructions;
}

/// Number of wgmmas along M and N that one warpgroup issues per k16 step.
TILECAST_HD constexpr i32 wgmmas_along_m(const Tiling& tiling) {
  return warpgroup_rows(tiling) / kWgmmaM;
}
TILECAST_HD constexpr i32 wgmmas_along_n(const KernelConfig& config) {
  return warpgroup_columns(config.tiling) / instruction_n(config);
}

/// Whether wgmmas can read N-major B, which is stored in slabs of 64 columns: each wgmma starts at
/// a slab or stays inside one.
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

/// fp32 accumulator registers per consumer thread.
TILECAST_HD constexpr i32 accumulator_registers(const Tiling& tiling) {
  return warpgroup_rows(tiling) * warpgroup_columns(tiling) / kThreadsPerWarpgroup;
}

}  // namespace tilecast
