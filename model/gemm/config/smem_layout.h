// Computes the shared-memory layout of a GEMM kernel: the rings of A and B, the staging of C, the
// barriers. The kernel uses these offsets, and legality counts these bytes.
//
// Stages of K-major operands store K in slabs of one swizzle row (64 elements, or 32 if block_k is
// 32); M-major A and N-major B store M and N in slabs of 64. Every slab is 1024-byte aligned.
//
// C is staged in slots of 64 rows x up to 64 columns per warpgroup; on Blackwell a slot has 128
// rows, 32 per warp. If c_slots is 0, C aliases stages instead: kernels with one tile per CTA use
// the drained ring; persistent_overlap gives its B ring one stage more than its A ring, so that two
// B stages are free when a tile ends.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

constexpr i32 kSwizzleBytes = 128;       // longest row of one slab
constexpr i32 kSlabElements = 64;        // 16-bit elements per swizzle row
constexpr i32 kHalfBytes = 2;            // bytes of a 16-bit element
constexpr i32 kSwizzleAtomBytes = 1024;  // 8 rows; alignment of every slab
constexpr i32 kBarrierBytes = 8;         // one mbarrier
constexpr i32 kBulkCopyAlignment = 128;  // alignment of a box without swizzle
// Stages of B that are free at a tile's end in persistent_overlap, if C aliases B's stages.
constexpr i32 kBStagesFreeAtTileEnd = 2;

/// K elements per slab of a K-major operand.
TILECAST_HD constexpr i32 k_slab_elements(const Tiling& tiling) {
  return min_of(tiling.block_k, kSwizzleBytes / tiling.operand_bytes);
}

/// Width of the last chunk in a row of C if it has a bulk store and a tensor map of its own, else
/// 0: where it is narrower than the others, so that these are as wide as a slot. A store of narrow
/// rows costs L2 more: one of 32 bytes that starts inside a sector writes two sectors in part.
/// Kernels that load a residual, or whose C has not 16 bits, do so only for odd multiples of eight
/// columns, which no swizzle mode has. 96 columns are three boxes of 32: a second map takes 0.6 %
/// longer.
TILECAST_HD constexpr i32 c_last_columns(const KernelConfig& config, i32 column_bytes,
                                         const Epilogue& epilogue) {
  const i32 columns = warpgroup_columns(config.tiling), last = columns % kSlabElements;
  const bool few_boxes = columns == 16 || columns == 32 || columns == 96;
  const bool has_map = column_bytes == kHalfBytes && !gates(epilogue) &&
                       !epilogue.has(OutputKind::kLoad) && !uses_mma_sync(config.schedule) &&
                       !few_boxes;
  return in_odd_eights(config.tiling) || has_map ? last : 0;
}

/// Columns of C per staging slot, and per bulk store. A store fills complete swizzle rows of 128,
/// 64 or 32 bytes; a slot holds stores of up to 64 columns in total, or the last chunk. Columns
/// are counted in A B; each takes `column_bytes` (c_column_bytes) in C.
TILECAST_HD constexpr i32 c_slot_columns(const Tiling& tiling) {
  return min_of(warpgroup_columns(tiling), kSlabElements);
}
TILECAST_HD constexpr i32 c_box_columns(const KernelConfig& config, i32 column_bytes,
                                        const Epilogue& epilogue) {
  const i32 columns =
      warpgroup_columns(config.tiling) - c_last_columns(config, column_bytes, epilogue);
  const i32 fit = columns % 64 == 0 ? 64 : columns % 32 == 0 ? 32 : 16;
  return min_of(fit, kSwizzleBytes / column_bytes);
}

TILECAST_HD constexpr i32 c_slot_rows(Schedule schedule) {
  return uses_tcgen05(schedule) ? kTensorMemoryLanes : kWgmmaM;
}

/// Number of slots that a warpgroup's part of a tile fills.
TILECAST_HD constexpr i32 c_chunks(const Tiling& tiling) {
  return wgmmas_along_m(tiling) * ceil_div(warpgroup_columns(tiling), c_slot_columns(tiling));
}
TILECAST_HD constexpr i32 c_chunks(Schedule schedule, const Tiling& tiling) {
  return c_chunks(tiling) * kWgmmaM / c_slot_rows(schedule);
}

constexpr i32 kMostBoxRows = 256;  // maximum rows per bulk copy
constexpr i32 kSwizzleAtomRows = 8;

/// Granularity of the rows of A that are loaded for a tile partly outside the matrix. Usually one
/// swizzle atom; one slice if the CTAs of a cluster load slices for each other; all rows if one
/// copy cannot load them, or if A is M-major, where copies load slabs of rows.
TILECAST_HD constexpr i32 a_rows_step(const Tiling& tiling, Layout layout) {
  return !a_is_k_major(layout)           ? tiling.block_m
         : tiling.cluster_n > 1          ? tiling.block_m / tiling.cluster_n
         : tiling.block_m > kMostBoxRows ? tiling.block_m
                                         : kSwizzleAtomRows;
}

/// Whether only rows inside the matrix are loaded. A pair of CTAs that share tcgen05 instructions
/// loads all rows; so do kernels for groups, because a tensor map has no bound at a group's end.
TILECAST_HD constexpr bool loads_existing_rows(const GemmProblem& problem,
                                               const KernelConfig& config) {
  return problem.groups == nullptr &&
         (!uses_tcgen05(config.schedule) || cta_group(config.tiling) == 1);
}

/// Rows loaded for a tile of block_m rows, of which `rows` (or none) are inside the matrix.
TILECAST_HD constexpr i32 a_rows_loaded(i32 rows, i32 block_m, i32 step) {
  return rows >= block_m ? block_m : round_up(max_of(rows, 0), step);
}

struct SmemLayout {
  i32 a_stage_bytes, b_stage_bytes;
  i32 b_stages;  // number of B's stages: as many as A's, or one more
  i32 c_slot_bytes;
  i32 b_offset, c_offset, barrier_offset;
  i32 tcgen05_offset;  // data of the tcgen05 kernels (tensor_memory.h)
  i32 total_bytes;     // bytes requested at launch
};

TILECAST_HD constexpr i32 c_slot_bytes(Schedule schedule, const Tiling& tiling, i32 column_bytes) {
  return c_slot_rows(schedule) * c_slot_columns(tiling) * column_bytes;
}

TILECAST_HD constexpr SmemLayout smem_layout(Schedule schedule, const Tiling& tiling,
                                             i32 column_bytes = kHalfBytes) {
  const bool borrows_b = traits_of(schedule).borrows_b_stages && tiling.c_slots == 0;
  SmemLayout layout{};
  layout.a_stage_bytes = tiling.block_m * tiling.block_k * tiling.operand_bytes;
  // A pair of CTAs holds one copy of B between them.
  const i32 b_rows = uses_tcgen05(schedule) ? tiling.block_n / cta_group(tiling) : tiling.block_n;
  layout.b_stage_bytes = b_rows * tiling.block_k * tiling.operand_bytes;
  layout.b_stages = tiling.stages + (borrows_b ? kBStagesFreeAtTileEnd - 1 : 0);
  layout.c_slot_bytes = c_slot_bytes(schedule, tiling, column_bytes);
  layout.b_offset = tiling.stages * layout.a_stage_bytes;
  layout.c_offset = layout.b_offset + layout.b_stages * layout.b_stage_bytes;
  layout.barrier_offset = layout.c_offset + consumer_warpgroups(schedule, tiling) * tiling.c_slots *
                                                layout.c_slot_bytes;
  layout.tcgen05_offset = layout.barrier_offset + 2 * tiling.stages * kBarrierBytes;
  layout.total_bytes = layout.tcgen05_offset + (uses_tcgen05(schedule) ? kTcgen05SyncBytes : 0);
  return layout;
}

/// Bytes of the table of groups, the last part of shared memory: a scheduler, then each group's
/// first row and first row of tiles, with end markers.
TILECAST_HD constexpr i32 group_table_bytes(i64 groups) {
  return static_cast<i32>(8 * (groups + 1) + 128);
}

/// Extra rows loaded for block scales of A: a box starts at a multiple of four rows, but a group's
/// tiles start at any row. It is a function because a constant would add a symbol to every cubin.
TILECAST_HD consteval i32 scales_apart() { return 16 / scale_bytes(); }
/// Boxes per load of block scales; consecutive boxes overlap by four rows.
TILECAST_HD constexpr i32 scale_copies(const Tiling& tiling) {
  return ceil_div(tiling.block_m + scales_apart(), kMostBoxRows);
}
TILECAST_HD constexpr i32 scale_box_rows(const Tiling& tiling) {
  return tiling.block_m / scale_copies(tiling);
}
TILECAST_HD constexpr i32 scale_box_bytes(const Tiling& tiling) {
  return scale_bytes() * (scale_box_rows(tiling) + scales_apart());
}
/// Bytes of block scales per stage (A's rows), rounded up to the alignment of bulk copies.
TILECAST_HD constexpr i32 scale_stage_bytes(const Tiling& tiling) {
  return round_up(scale_bytes() * (tiling.block_m + scales_apart()), kBulkCopyAlignment);
}
/// Offset from the stages' barriers to the scales after them.
TILECAST_HD constexpr i32 scale_ring_offset(const Tiling& tiling) {
  const i32 barriers = 2 * tiling.stages * kBarrierBytes;
  return round_up(barriers, kBulkCopyAlignment) - barriers;
}
/// Bytes of all stages' scales, with the padding before them.
TILECAST_HD constexpr i32 scale_ring_bytes(const Epilogue& epilogue, const Tiling& tiling) {
  return has_block_scales(epilogue)
             ? scale_ring_offset(tiling) + tiling.stages * scale_stage_bytes(tiling)
             : 0;
}

/// Additional bytes of C slots compared with 16-bit elements; negative if fewer.
TILECAST_HD constexpr i32 c_slots_beside(const KernelConfig& config, i32 column_bytes) {
  const Tiling& t = config.tiling;
  return consumer_warpgroups(config.schedule, t) * t.c_slots *
         (c_slot_bytes(config.schedule, t, column_bytes) -
          c_slot_bytes(config.schedule, t, kHalfBytes));
}

/// Whether the kernel can promote accumulators after every K block of 128 elements: it must wait
/// for the next block's stage before it releases this block's.
TILECAST_HD constexpr bool can_promote(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  return has_producer_warpgroup(config.schedule) && !uses_tcgen05(config.schedule) &&
         t.block_k * t.operand_bytes == kSwizzleBytes && t.stages > 1 &&
         t.block_n <= kMostInstructionN && config.inflight == 0 &&
         config.store == Store::kAtTileEnd;
}
/// Whether the kernel supports block scales: a K block is one scale block, and tiles start at the
/// first one.
TILECAST_HD constexpr bool takes_block_scales(const KernelConfig& config) {
  return can_promote(config) && !splits_k(config.schedule);
}

/// Whether the space that C may alias holds a whole tile.
TILECAST_HD constexpr bool c_fits_where_it_is_staged(Schedule schedule, const Tiling& tiling,
                                                     i32 column_bytes = kHalfBytes) {
  if (tiling.c_slots > 0) {
    return true;
  }
  const SmemLayout layout = smem_layout(schedule, tiling, column_bytes);
  const i64 needed =
      i64{c_chunks(schedule, tiling)} * warpgroups_per_tile(tiling) * layout.c_slot_bytes;
  const i64 borrowed = traits_of(schedule).borrows_b_stages
                           ? i64{kBStagesFreeAtTileEnd} *
                                 (layout.b_stage_bytes / layout.c_slot_bytes) * layout.c_slot_bytes
                           : i64{layout.c_offset};
  return needed <= borrowed;
}

}  // namespace tilecast
