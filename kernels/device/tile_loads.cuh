// Bulk copies of one K block of A and B into a stage. In a cluster every CTA loads its slice of a
// shared operand and multicasts it, so that each byte leaves L2 once per cluster.
//
// Stage layouts (smem_layout.h): K-major operands as slabs of 64 K elements, [slab][row][64];
// M-major A and N-major B as slabs of 64 M or N elements, [slab][k][64].
#pragma once

#include "kernels/device/group_table.cuh"
#include "kernels/device/k_groups.cuh"
#include "kernels/device/stage_ring.cuh"
#include "kernels/gemm/gemm_args.h"
#include "kernels/ptx/tma.cuh"

namespace tilecast {

static_assert(b_is_k_major(kLayout) || kTiling.block_n % kSlabElements == 0,
              "N-major B comes in slabs of 64 columns");

constexpr i32 kSlab = k_slab_elements(kTiling);
constexpr i32 kSlabRowBytes = kSlab * kOperandBytes;

/// A CTA's tile.
struct TileOrigin {
  i32 m, n;    // its first element
  i32 a_rows;  // of A that are loaded for it
#ifdef TILECAST_BATCHED
  i32 of_product;
  __device__ i32 product() const { return of_product; }
#else
  __device__ i32 product() const { return 0; }
#endif
  /// The row of C behind the last that the tile may store.
#ifdef TILECAST_GROUPED
  i32 group_end;
  __device__ i32 rows_end(const GemmArgs&) const { return group_end; }
#else
  __device__ i32 rows_end(const GemmArgs& args) const { return args.m; }
#endif
#ifdef TILECAST_GROUPED_K
  KRange k;
  __device__ i32 k_blocks(const GemmArgs&) const { return k.blocks(); }
#else
  __device__ i32 k_blocks(const GemmArgs& args) const { return args.k_blocks; }
#endif

  __device__ static TileOrigin of(const GemmArgs& args, i32 m, i32 n) {
    constexpr i32 kStep = a_rows_step(kTiling, kLayout);
    return {m, n, a_rows_loaded(args.m - m, kTiling.block_m, kStep)};
  }
};

/// The product that a row of cluster tiles is of, and the rows before that product's first.
template <class Args>  // only arguments of batched kernels say
__device__ inline u32 product_of(const Args& args, u32 row) {
  if constexpr (batched()) {
    return args.batch.tile_rows.quotient(row);
  }
  return 0;
}
template <class Args>
__device__ inline u32 rows_before(const Args& args, u32 product) {
  if constexpr (batched()) {
    return product * args.batch.tile_rows.divisor;
  }
  return 0;
}

/// Of all tiles; how many the groups have the device alone knows.
__device__ inline const TileScheduler& scheduler_of(const GemmArgs& args) {
#ifdef TILECAST_GROUPED
  return GroupTable::here().scheduler;
#else
  return args.scheduler;
#endif
}

#ifdef TILECAST_GROUPED
/// Of a CTA's part of the cluster tile that is `linear` in the order of tiles. Whole blocks of A
/// are loaded: what follows a group's last row is whatever lies there, or zeros.
__device__ inline TileOrigin tile_origin(const GemmArgs& args, u32 linear,
                                         const ClusterPlace& place) {
  const TileScheduler& scheduler = scheduler_of(args);
  const TileCoord cluster_tile =
      kOnHilbertCurve ? scheduler.on_curve(linear) : scheduler.in_bands(linear);
  const GroupTable& table = GroupTable::here();
  const u32 group = table.group_of(cluster_tile.m, args.groups.count);
  const u32 row = (cluster_tile.m - table.first[group].tile_row) * kTiling.cluster_m + place.m;
  TileOrigin tile{};
  tile.m = table.first_row(args.groups, static_cast<i32>(group)) +
           static_cast<i32>(row) * kTiling.block_m;
  tile.n = static_cast<i32>(cluster_tile.n * kTiling.cluster_n + place.n) * kTiling.block_n;
  tile.a_rows = kTiling.block_m;
  tile.of_product = static_cast<i32>(group);
  tile.group_end = table.first[group + 1].row;
  return tile;
}
#else
/// Of a CTA's part of the cluster tile that is `linear` in the order of tiles.
__device__ inline TileOrigin tile_origin(const GemmArgs& args, u32 linear,
                                         const ClusterPlace& place) {
  const TileScheduler& scheduler = args.scheduler;
  const TileCoord cluster_tile =
      kOnHilbertCurve ? scheduler.on_curve(linear) : scheduler.in_bands(linear);
  const u32 product = product_of(args, cluster_tile.m);
  const u32 row = cluster_tile.m - rows_before(args, product);
  TileOrigin tile = TileOrigin::of(
      args, static_cast<i32>(row * kTiling.cluster_m + place.m) * kTiling.block_m,
      static_cast<i32>(cluster_tile.n * kTiling.cluster_n + place.n) * kTiling.block_n);
#ifdef TILECAST_BATCHED
  tile.of_product = static_cast<i32>(product);
#endif
#ifdef TILECAST_GROUPED_K
  tile.k = k_range(args, tile.of_product);
#endif
  return tile;
}
#endif

/// Row of a tile among the CTA tiles of all products.
template <class Args>
__device__ inline i32 tile_row(const Args& args, const TileOrigin& tile) {
  const i32 row = tile.m / kTiling.block_m;
#ifdef TILECAST_GROUPED
  const GroupTable& table = GroupTable::here();
  return static_cast<i32>(table.first[tile.product()].tile_row) * kTiling.cluster_m +
         (tile.m - table.first_row(args.groups, tile.product())) / kTiling.block_m;
#endif
  if constexpr (batched()) {
    return row +
           tile.product() * static_cast<i32>(args.batch.tile_rows.divisor * kTiling.cluster_m);
  }
  return row;
}

/// The map's coordinate of the matrix: products' matrices of an operand between the first and this
/// product's; of groups along K where the tile's ends.
template <class Args>
__device__ inline i32 a_matrix(const Args& args, const TileOrigin& tile) {
#ifdef TILECAST_GROUPED_K
  return tile.k.end;
#endif
  if constexpr (batched()) {
    return tile.product() * args.batch.a_matrices_apart;
  }
  return 0;
}
template <class Args>
__device__ inline i32 b_matrix(const Args& args, const TileOrigin& tile) {
#ifdef TILECAST_GROUPED_K
  return tile.k.end;
#endif
  if constexpr (batched()) {
    return tile.product() * args.batch.b_matrices_apart;
  }
  return 0;
}

/// C's matrix: the groups have one.
template <class Args>
__device__ inline i32 c_matrix(const Args&, const TileOrigin& tile) {
  return grouped() ? 0 : tile.product();
}

/// Elements of C before a product's.
template <class Args>
__device__ inline i64 c_product_elements(const Args& args, i32 product) {
  if constexpr (batched()) {
    return product * args.batch.c_stride;
  }
  return 0;
}

/// An element of a product's C, within its bounds.
template <class Args>
__device__ inline unsigned short* c_element(const Args& args, i32 product, i32 row, i32 column) {
  unsigned short* c = static_cast<unsigned short*>(args.c_pointer);
  if constexpr (batched()) {
    c += product * args.batch.c_stride;
  }
  if constexpr (swapped()) {
    return c + static_cast<i64>(column) * args.m + row;
  }
  return c + static_cast<i64>(row) * args.n + column;
}
/// Elements from one to the next in its row.
template <class Args>
__device__ inline i64 c_next_column(const Args& args) {
  return swapped() ? args.m : 1;
}

/// Of blocks.
template <class Args>  // only arguments of kernels with scales have them
__device__ inline void prefetch_scale_map(const Args& args) {
  if constexpr (has_block_scales(fused())) {
    ptx::prefetch_tensor_map(&args.scales_of_a);
  }
}
/// Bytes that load_scales brings.
TILECAST_HD consteval i32 bytes_of_scales() {
  return has_block_scales(fused()) ? scale_copies(kTiling) * scale_box_bytes(kTiling) : 0;
}
/// Of A's rows, from the multiple of four on at which the tile begins or before it.
template <class Args>
__device__ inline void load_scales(const Args& args, u32 stage, const TileOrigin& tile, i32 k_block,
                                   u32 barrier) {
  if constexpr (has_block_scales(fused())) {
    constexpr i32 kRows = scale_box_rows(kTiling);
    const i32 first = tile.m - tile.m % scales_apart();
#pragma unroll
    for (i32 box = 0; box < scale_copies(kTiling); ++box) {
      ptx::tma_load_2d(stage + box * kRows * scale_bytes(), &args.scales_of_a, first + box * kRows,
                       k_block, barrier);
    }
  }
}

/// The maps are in the kernel's parameters, which every launch finds cold. By one thread, early.
__device__ inline void prefetch_tensor_maps(const GemmArgs& args) {
  ptx::prefetch_tensor_map(&args.a);
  ptx::prefetch_tensor_map(&args.b);
  if (args.c_by_tma != 0) {
    ptx::prefetch_tensor_map(&args.c);
#ifdef TILECAST_C_LAST
    ptx::prefetch_tensor_map(&args.c_last);
#endif
  }
  if (args.m < kTiling.block_m) {
    ptx::prefetch_tensor_map(&args.a_last);
  }
  prefetch_scale_map(args);
}

/// Loads kRows rows of one slab, kRowBytes each in shared memory, for kSharers CTAs.
template <i32 kSharers, i32 kRows, i32 kRowBytes>
__device__ inline void load_slice(u32 destination, const TensorMap* map, i32 x, i32 y, i32 matrix,
                                  u32 barrier, u32 cta_mask) {
  constexpr i32 kBoxRows = kRows / boxes_of(kRows);
#pragma unroll
  for (i32 row = 0; row < kRows; row += kBoxRows) {
    const u32 to = destination + row * kRowBytes;
    const unsigned short mask = static_cast<unsigned short>(cta_mask);
    if constexpr (parts_k() && kSharers == 1) {
      ptx::tma_load_4d(to, map, x, y + row, matrix, most_ragged_rows(), barrier);
    } else if constexpr (parts_k()) {
      ptx::tma_load_4d_multicast(to, map, x, y + row, matrix, most_ragged_rows(), barrier, mask);
    } else if constexpr (batched() && kSharers == 1) {
      ptx::tma_load_3d(to, map, x, y + row, matrix, barrier);
    } else if constexpr (batched()) {
      ptx::tma_load_3d_multicast(to, map, x, y + row, matrix, barrier, mask);
    } else if constexpr (kSharers == 1) {
      ptx::tma_load_2d(to, map, x, y + row, barrier);
    } else {
      ptx::tma_load_2d_multicast(to, map, x, y + row, barrier, mask);
    }
  }
}

/// Loads slice `slice` of kSharers along K of `kSide` elements along M or N, from `first` on, of a
/// matrix that is not K-major.
template <i32 kSharers, i32 kSide>
__device__ inline void load_across_k(u32 stage, const TensorMap* map, i32 first, i32 k, i32 slice,
                                     i32 matrix, u32 barrier, u32 cta_mask) {
  constexpr i32 kRows = kTiling.block_k / kSharers;
  const i32 row = slice * kRows;
#pragma unroll
  for (i32 slab = 0; slab < kSide / kSlabElements; ++slab) {
    const u32 rows = stage + (slab * kTiling.block_k + row) * kSwizzleBytes;
    load_slice<kSharers, kRows, kSwizzleBytes>(rows, map, first + slab * kSlabElements, k + row,
                                               matrix, barrier, cta_mask);
  }
}

/// Called by one thread, with the stage empty. Rows of A that do not exist are left as they are,
/// and the sums of those rows are never stored.
__device__ inline void load_k_block(const GemmArgs& args, const SharedMemory& smem,
                                    const RingPosition& at, const TileOrigin& tile, i32 k_block,
                                    const ClusterPlace& place) {
#ifdef TILECAST_GROUPED_K
  const i32 k = most_ragged_rows() - tile.k.rows + k_block * kTiling.block_k;
#else
  const i32 k = k_block * kTiling.block_k;
#endif
  const u32 barrier = smem.full(at.stage);
  ptx::mbarrier_arrive_expect_tx(barrier, tile.a_rows * kTiling.block_k * kOperandBytes +
                                              kSmem.b_stage_bytes + bytes_of_scales());
  load_scales(args, smem.scales(at.stage), tile, k_block, barrier);

  // A: the CTAs of one cluster row (equal m, every n) share it.
  u32 a_mask = 0;
  for (u32 n = 0; n < kTiling.cluster_n; ++n) {
    a_mask |= 1u << ClusterPlace::rank_of(place.m, n);
  }
  // Only a cluster has CTAs without a row to load. A branch in every K block costs who multiplies.
  if constexpr (a_is_k_major(kLayout)) {
    constexpr i32 kARows = kTiling.block_m / kTiling.cluster_n;
    const i32 a_row = static_cast<i32>(place.n) * kARows;
    const TensorMap* const a = tile.a_rows < kTiling.block_m ? &args.a_last : &args.a;
    if (kClusterSize == 1 || a_row < tile.a_rows) {
#pragma unroll
      for (i32 slab = 0; slab < kTiling.block_k / kSlab; ++slab) {
        const u32 rows = smem.a(at.stage) + (slab * kTiling.block_m + a_row) * kSlabRowBytes;
        load_slice<kTiling.cluster_n, kARows, kSlabRowBytes>(
            rows, a, k + slab * kSlab, tile.m + a_row, a_matrix(args, tile), barrier, a_mask);
      }
    }
  } else if (kClusterSize == 1 || tile.a_rows > 0) {
    load_across_k<kTiling.cluster_n, kTiling.block_m>(smem.a(at.stage), &args.a, tile.m, k,
                                                      static_cast<i32>(place.n),
                                                      a_matrix(args, tile), barrier, a_mask);
  }

  // B: the CTAs of one cluster column (equal n, every m) share it.
  const u32 b_mask = ((1u << kTiling.cluster_m) - 1) << ClusterPlace::rank_of(0, place.n);
  if constexpr (b_is_k_major(kLayout)) {
    constexpr i32 kBRows = kTiling.block_n / kTiling.cluster_m;
    const i32 b_row = static_cast<i32>(place.m) * kBRows;
#pragma unroll
    for (i32 slab = 0; slab < kTiling.block_k / kSlab; ++slab) {
      const u32 rows = smem.b(at.b_stage()) + (slab * kTiling.block_n + b_row) * kSlabRowBytes;
      load_slice<kTiling.cluster_m, kBRows, kSlabRowBytes>(
          rows, &args.b, k + slab * kSlab, tile.n + b_row, b_matrix(args, tile), barrier, b_mask);
    }
  } else {
    load_across_k<kTiling.cluster_m, kTiling.block_n>(smem.b(at.b_stage()), &args.b, tile.n, k,
                                                      static_cast<i32>(place.m),
                                                      b_matrix(args, tile), barrier, b_mask);
  }
}

}  // namespace tilecast
