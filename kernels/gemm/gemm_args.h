// Launch arguments of the GEMM kernels, and the boxes that their tensor maps must have. Compiled by
// NVRTC and by the host code that launches them, so that both agree.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/order/work_decomposition.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// The 128 bytes of a CUtensorMap, whose header is not available to NVRTC.
struct alignas(64) TensorMap {
  u64 opaque[16];
};

/// Selects when a kernel that is launched programmatically lets the next one start: during its
/// epilogue, or when its CTAs end. Change of the time by a start during the epilogue, on an H200
/// (validate/data/h200_sxm/programmatic):
///   512^3: -6 % in a graph, +13 % in a stream    2^28 to 2^30 multiply-adds: -2 to 0 %
///   from 2^33 multiply-adds: +0.4 to +2.4 %, because CTAs no longer share lines of L2 with
///   neighbours
TILECAST_HD constexpr LaunchOrder programmatic_launch(const GemmShape& shape, i64 products) {
  constexpr i64 kFewMultiplyAdds = i64{1} << 31;
  return shape.m * shape.n <= kFewMultiplyAdds / products / shape.k ? LaunchOrder::kBesideEpilogue
                                                                    : LaunchOrder::kProgrammatic;
}

/// An operand that threads copy. Rows begin at multiples of 16 bytes.
struct PlainMatrix {
  const void* pointer;
  i64 row_bytes,
      matrix_bytes;  // bytes between consecutive rows; between matrices of a batch
  i32 side, k;       // elements along M or N, and along K
};

/// Rows and columns of one bulk copy, and the swizzle row that it fills.
struct TmaBox {
  i32 columns;  // contiguous in global memory
  i32 rows;
  i32 swizzle_bytes;  // 128, 64 or 32; contiguous rows if 0
};

/// One piece of work that a CTA did: a tile in units of CTA tiles, and the range of K blocks.
struct WalkedPiece {
  u32 m, n;
  i32 k_begin, k_end;

  constexpr bool operator==(const WalkedPiece&) const = default;
};

/// Addressing of the GEMMs of a batch. Their tensor maps have a third dimension, the GEMM.
struct BatchArgs {
  FastDivisor tile_rows;                   // rows of one GEMM, in cluster tiles
  i32 a_matrices_apart, b_matrices_apart;  // matrices per GEMM: 1, or 0 if shared
  i64 c_stride;                            // elements between the C matrices of consecutive GEMMs
};

/// Groups of rows of A and C, each with a separate B. Masked groups have space for `capacity` rows
/// each, and group g begins at row g * capacity. If groups are not masked, capacity is 0, and each
/// group begins at the end of the previous one. Groups along K are packed the same way, with
/// capacity as the total K.
struct GroupArgs {
  const i32* rows;  // on the device, per group: its end row, or its row count if masked
  i32 count, capacity;
};

/// Scales are fp32, on the device, 4-byte aligned. Tensor scales: one number per operand. Row
/// scales: one per row of A and per column of B. Block scales: A's [K / 128][m] with rows at
/// multiples of 16 bytes, and B's [n / 128][K / 128], concatenated over groups.
struct ScaleArgs {
  const float *a, *b;
  i32 a_stride, b_stride;  // block scales: elements between consecutive rows
};

/// The addend of the result, and outputs besides C.
struct ResultArgs {
  TensorMap residual_map;  // map of the residual, with C's boxes; used if residual_by_tma
  const void* residual;    // residual of C's type and shape; C itself, or disjoint from it
  i64 residual_row;        // elements between its consecutive rows
  i64 residual_stride;     // elements between the matrices of a batch
  i32 residual_fours;      // whether its rows start and end at multiples of four elements
  i32 residual_by_tma;     // and also at multiples of 16 bytes
  const float* scale_c;
  u32* amax;  // bits of a non-negative float; raised to the result's largest magnitude
};

/// A kernel reads only the arguments that its Config uses (gemm_config.h).
struct GemmArgs {
  union {
    TensorMap a;          // [m,k], or [k,m] if A is M-major; box a_box()
    PlainMatrix a_plain;  // for kernels with mma.sync, which have no tensor maps
  };
  TensorMap a_last;  // A again with box a_last_box(), for tiles that are partly out of bounds
  union {
    TensorMap b;  // [n,k], or [k,n] if B is N-major; box b_box()
    PlainMatrix b_plain;
  };
  TensorMap c;  // [m,n], with swapped operands [n,m]; box c_box(); unused if c_by_tma is 0
  TileScheduler scheduler;
  // k_blocks = ceil(k / block_k); for groups along K it differs between groups. Out-of-bounds loads
  // return zeros.
  i32 m, n, k_blocks;
  float alpha, beta;  // used by SumScale::kAlphaBeta; else 1 and 0
  i32 c_by_tma;
  void* c_pointer;     // C, row-major
  WalkedPiece* trace;  // if not null, CTA i writes its j-th piece to [i * trace_stride + j]
  u32 trace_stride;
  // The next members belong to schedules that split K:
  WorkDecomposition work;
  Reduction reduction;
  float* partials;  // size: reduction_workspace.h
  u32* locks;
  const void* bias;  // bias_elements() of C's type, 4-byte aligned
  // With groups along M, `batch` has one matrix of A, one of C, and one of B per group; with groups
  // along K, one of C per group.
  BatchArgs batch;
  GroupArgs groups;
  TensorMap c_last;  // C again with box c_last_box(), for the last chunk of a row if it is narrower
  ScaleArgs scales;
  TensorMap scales_of_a;  // block scales, [K / 128][m], fp32; box scale_box()
  ResultArgs result;
};

constexpr i32 kLeastSwizzleBytes = 32;  // bytes per row

/// Number of equal boxes for a slice of this many rows.
TILECAST_HD constexpr i32 boxes_of(i32 rows) { return ceil_div(rows, kMostBoxRows); }

/// Box of an operand: CTAs that share it each load a slice of its rows and multicast that. `side`:
/// the tile's size along M or N.
TILECAST_HD constexpr TmaBox operand_box(const Tiling& t, i32 side, i32 sharers, bool k_major) {
  const i32 rows = (k_major ? side : t.block_k) / sharers;
  const i32 columns = k_major ? k_slab_elements(t) : kSlabElements;
  return {columns, rows / boxes_of(rows), columns * t.operand_bytes};
}
TILECAST_HD constexpr TmaBox a_box(const Tiling& t, Layout layout) {
  return operand_box(t, t.block_m, t.cluster_n, a_is_k_major(layout));
}
/// Box for the last row of tiles, of m rows. CTAs that share A skip slices instead.
TILECAST_HD constexpr TmaBox a_last_box(const Tiling& t, Layout layout, i64 m) {
  TmaBox box = a_box(t, layout);
  if (a_is_k_major(layout) && t.cluster_n == 1 && m % t.block_m != 0) {
    const i32 rows = static_cast<i32>(m % t.block_m);
    box.rows = min_of(box.rows, a_rows_loaded(rows, t.block_m, a_rows_step(t, layout)));
  }
  return box;
}
TILECAST_HD constexpr TmaBox b_box(const Tiling& t, Layout layout) {
  return operand_box(t, t.block_n, t.cluster_m, b_is_k_major(layout));
}
/// Box of C's bulk stores. With swapped operands a column of the tile is a row of C, and a chunk's
/// 64 rows fill a swizzle row.
TILECAST_HD constexpr TmaBox c_box(const KernelConfig& config, ElementType c, i32 column_bytes,
                                   const Epilogue& epilogue) {
  constexpr i32 kWarpRows = kTensorMemoryLanes / kWarpsPerWarpgroup;  // each warp stores its rows
  const i32 columns = c_box_columns(config, column_bytes, epilogue);
  if (config.operands == OperandOrder::kSwapped) {
    return {kWgmmaM, columns, kSwizzleBytes};
  }
  const i32 row_bytes = columns * column_bytes;
  return {row_bytes / element_bytes(c), uses_tcgen05(config.schedule) ? kWarpRows : kWgmmaM,
          row_bytes % kLeastSwizzleBytes == 0 ? row_bytes : 0};
}
/// Box of the last chunk of a row, of c_last_columns() > 0. Its rows are contiguous where no
/// swizzle mode has their width.
TILECAST_HD constexpr TmaBox c_last_box(const KernelConfig& config, i32 columns) {
  const bool swizzled = columns == 16 || columns == 32;
  return config.operands == OperandOrder::kSwapped
             ? TmaBox{kWgmmaM, columns, kSwizzleBytes}
             : TmaBox{columns, kWgmmaM, swizzled ? columns * kHalfBytes : 0};
}

/// Box of A's block scales for a K block, in a stage of scale_stage_bytes().
TILECAST_HD constexpr TmaBox scale_box(const Tiling& t) {
  return {scale_box_rows(t) + scales_apart(), 1, 0};
}

}  // namespace tilecast
