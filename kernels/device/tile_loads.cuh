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

/// Position and extent of a CTA's tile.
struct TileOrigin {
  i32 m, n;       // first row and column of C
  i32 a_rows;     // rows of A to load
  i32 product;    // index of the GEMM in a batch or of the group; else 0
  i32 group_end;  // end of the tile's group, with groups along M
  KRange k;       // rows of the tile's group, with groups along K

  template <class Config>
  __device__ static TileOrigin of(const Args<Config>& args, i32 m, i32 n) {
    constexpr i32 kStep = Config::kARowsStep;
    return {m, n, a_rows_loaded(args.m - m, Config::kTiling.block_m, kStep), 0, 0, {}};
  }

  /// One past the last row of C that the tile may store.
  template <class Config>
  __device__ i32 rows_end(const Args<Config>& args) const {
    return Config::kGrouped ? group_end : args.m;
  }
  template <class Config>
  __device__ i32 k_blocks(const Args<Config>& args) const {
    return Config::kGroupedAlongK ? k.blocks(Config::kTiling.block_k) : args.k_blocks;
  }
};

/// Finds the GEMM that a row of cluster tiles belongs to, and the number of rows before that GEMM's
/// first row.
template <class Config>
__device__ inline u32 product_of(const Args<Config>& args, u32 row) {
  if constexpr (Config::kBatched) {
    return args.batch.tile_rows.quotient(row);
  }
  return 0;
}
template <class Config>
__device__ inline u32 rows_before(const Args<Config>& args, u32 product) {
  if constexpr (Config::kBatched) {
    return product * args.batch.tile_rows.divisor;
  }
  return 0;
}

/// Scheduler with the number of all tiles; with groups, only the device knows that number.
template <class Config>
__device__ inline const TileScheduler& scheduler_of(const Args<Config>& args) {
  if constexpr (Config::kGrouped) {
    return GroupTable::here<Config>().scheduler;
  } else {
    return args.scheduler;
  }
}

/// Origin of a CTA's part of cluster tile `linear` in the tile order. With groups along M, whole
/// blocks of A are loaded: rows after a group's last row belong to the next group, or are zeros.
template <class Config>
__device__ inline TileOrigin tile_origin(const Args<Config>& args, u32 linear,
                                         const ClusterPlace& place) {
  constexpr Tiling t = Config::kTiling;
  const TileScheduler& scheduler = scheduler_of(args);
  const TileCoord cluster_tile =
      Config::kOnHilbertCurve ? scheduler.on_curve(linear) : scheduler.in_bands(linear);
  const i32 n = static_cast<i32>(cluster_tile.n * t.cluster_n + place.n) * t.block_n;
  if constexpr (Config::kGrouped) {
    const GroupTable& table = GroupTable::here<Config>();
    const u32 group = table.group_of(cluster_tile.m, args.groups.count);
    const u32 row = (cluster_tile.m - table.first[group].tile_row) * t.cluster_m + place.m;
    const i32 m =
        table.first_row(args.groups, static_cast<i32>(group)) + static_cast<i32>(row) * t.block_m;
    return {m, n, t.block_m, static_cast<i32>(group), table.first[group + 1].row, {}};
  } else {
    const u32 product = product_of(args, cluster_tile.m);
    const u32 row = cluster_tile.m - rows_before(args, product);
    TileOrigin tile =
        TileOrigin::of(args, static_cast<i32>(row * t.cluster_m + place.m) * t.block_m, n);
    tile.product = static_cast<i32>(product);
    if constexpr (Config::kGroupedAlongK) {
      tile.k = k_range(args, tile.product);
    }
    return tile;
  }
}

/// Index of a tile's row among the CTA tiles of all GEMMs.
template <class Config>
__device__ inline i32 tile_row(const Args<Config>& args, const TileOrigin& tile) {
  const i32 row = tile.m / Config::kTiling.block_m;
  if constexpr (Config::kGrouped) {
    const GroupTable& table = GroupTable::here<Config>();
    return static_cast<i32>(table.first[tile.product].tile_row) * Config::kTiling.cluster_m +
           (tile.m - table.first_row(args.groups, tile.product)) / Config::kTiling.block_m;
  } else if constexpr (Config::kBatched) {
    return row + tile.product *
                     static_cast<i32>(args.batch.tile_rows.divisor * Config::kTiling.cluster_m);
  }
  return row;
}

/// Coordinate of the matrix in the map: the number of matrices before this GEMM's; for groups along
/// K the end of the tile's group.
template <class Config>
__device__ inline i32 a_matrix(const Args<Config>& args, const TileOrigin& tile) {
  if constexpr (Config::kGroupedAlongK) {
    return tile.k.end;
  } else if constexpr (Config::kBatched) {
    return tile.product * args.batch.a_matrices_apart;
  }
  return 0;
}
template <class Config>
__device__ inline i32 b_matrix(const Args<Config>& args, const TileOrigin& tile) {
  if constexpr (Config::kGroupedAlongK) {
    return tile.k.end;
  } else if constexpr (Config::kBatched) {
    return tile.product * args.batch.b_matrices_apart;
  }
  return 0;
}

/// Index of C's matrix; groups along M have one in common.
template <class Config>
__device__ inline i32 c_matrix(const Args<Config>&, const TileOrigin& tile) {
  return Config::kGrouped ? 0 : tile.product;
}

/// Number of elements of C before this GEMM's first element.
template <class Config>
__device__ inline i64 c_product_elements(const Args<Config>& args, i32 product) {
  if constexpr (Config::kBatched) {
    return product * args.batch.c_stride;
  }
  return 0;
}

/// Address of an element of a GEMM's C, within its bounds.
template <class Config>
__device__ inline unsigned short* c_element(const Args<Config>& args, i32 product, i32 row,
                                            i32 column) {
  unsigned short* c = static_cast<unsigned short*>(args.c_pointer);
  if constexpr (Config::kBatched) {
    c += product * args.batch.c_stride;
  }
  if constexpr (Config::kSwapped) {
    return c + static_cast<i64>(column) * args.m + row;
  }
  return c + static_cast<i64>(row) * args.n + column;
}
/// Distance between adjacent elements of a row.
template <class Config>
__device__ inline i64 c_next_column(const Args<Config>& args) {
  return Config::kSwapped ? args.m : 1;
}

/// Loads the block scales of A's rows, from the multiple of four at or before the start of the
/// tile.
template <class Config>
__device__ inline void load_scales(const Args<Config>& args, u32 stage, const TileOrigin& tile,
                                   i32 k_block, u32 barrier) {
  if constexpr (Config::kBlockScales) {
    constexpr i32 kRows = Config::kScaleBoxRows;
    const i32 first = tile.m - tile.m % scales_apart();
#pragma unroll
    for (i32 box = 0; box < Config::kScaleCopies; ++box) {
      ptx::tma_load_2d(stage + box * kRows * scale_bytes(), &args.scales_of_a, first + box * kRows,
                       k_block, barrier);
    }
  }
}

/// Prefetches the tensor maps, which are kernel parameters and not in any cache at launch. Called
/// by one thread.
template <class Config>
__device__ inline void prefetch_tensor_maps(const Args<Config>& args) {
  ptx::prefetch_tensor_map(&args.a);
  ptx::prefetch_tensor_map(&args.b);
  if (args.c_by_tma != 0) {
    ptx::prefetch_tensor_map(&args.c);
    if constexpr (Config::kLastColumns > 0) {
      ptx::prefetch_tensor_map(&args.c_last);
    }
  }
  if (args.m < Config::kTiling.block_m) {
    ptx::prefetch_tensor_map(&args.a_last);
  }
  if constexpr (Config::kBlockScales) {
    ptx::prefetch_tensor_map(&args.scales_of_a);
  }
}

/// Loads kRows rows of one slab, kRowBytes each in shared memory, for kSharers CTAs.
template <class Config, i32 kSharers, i32 kRows, i32 kRowBytes>
__device__ inline void load_slice(u32 destination, const TensorMap* map, i32 x, i32 y, i32 matrix,
                                  u32 barrier, u32 cta_mask) {
  constexpr i32 kBoxRows = kRows / boxes_of(kRows);
#pragma unroll
  for (i32 row = 0; row < kRows; row += kBoxRows) {
    const u32 to = destination + row * kRowBytes;
    const unsigned short mask = static_cast<unsigned short>(cta_mask);
    if constexpr (Config::kGroupedAlongK && (Config::kClusterSize == 1 || kSharers == 1)) {
      ptx::tma_load_4d(to, map, x, y + row, matrix, most_ragged_rows(), barrier);
    } else if constexpr (Config::kGroupedAlongK) {
      ptx::tma_load_4d_multicast(to, map, x, y + row, matrix, most_ragged_rows(), barrier, mask);
    } else if constexpr (Config::kBatched && (Config::kClusterSize == 1 || kSharers == 1)) {
      ptx::tma_load_3d(to, map, x, y + row, matrix, barrier);
    } else if constexpr (Config::kBatched) {
      ptx::tma_load_3d_multicast(to, map, x, y + row, matrix, barrier, mask);
    } else if constexpr (Config::kClusterSize == 1 || kSharers == 1) {
      ptx::tma_load_2d(to, map, x, y + row, barrier);
    } else {
      ptx::tma_load_2d_multicast(to, map, x, y + row, barrier, mask);
    }
  }
}

/// Loads slice `slice` of kSharers along K of `kSide` elements along M or N, from `first` on, of a
/// matrix that is not K-major.
template <class Config, i32 kSharers, i32 kSide>
__device__ inline void load_across_k(u32 stage, const TensorMap* map, i32 first, i32 k, i32 slice,
                                     i32 matrix, u32 barrier, u32 cta_mask) {
  constexpr i32 kRows = Config::kTiling.block_k / kSharers;
  const i32 row = slice * kRows;
#pragma unroll
  for (i32 slab = 0; slab < kSide / kSlabElements; ++slab) {
    const u32 rows = stage + (slab * Config::kTiling.block_k + row) * kSwizzleBytes;
    load_slice<Config, kSharers, kRows, kSwizzleBytes>(rows, map, first + slab * kSlabElements,
                                                       k + row, matrix, barrier, cta_mask);
  }
}

/// Loads one K block. Called by one thread when the stage is empty. Missing rows of A are left
/// unchanged; the results of those rows are never stored.
template <class Config>
__device__ inline void load_k_block(const Args<Config>& args, const SharedMemory<Config>& smem,
                                    const RingPosition<Config>& at, const TileOrigin& tile,
                                    i32 k_block, const ClusterPlace& place) {
  static_assert(Config::kBKMajor || Config::kTiling.block_n % kSlabElements == 0,
                "N-major B comes in slabs of 64 columns");
  const i32 k = k_block * Config::kTiling.block_k +
                (Config::kGroupedAlongK ? most_ragged_rows() - tile.k.rows : 0);
  const u32 barrier = smem.full(at.stage);
  ptx::mbarrier_arrive_expect_tx(barrier,
                                 tile.a_rows * Config::kTiling.block_k * Config::kOperandBytes +
                                     Config::kSmem.b_stage_bytes + Config::kScaleBytes);
  load_scales(args, smem.scales(at.stage), tile, k_block, barrier);

  // A: the CTAs of one cluster row (equal m, every n) share it.
  u32 a_mask = 0;
  if constexpr (Config::kClusterSize > 1) {
    for (u32 n = 0; n < Config::kTiling.cluster_n; ++n) {
      a_mask |= 1u << ClusterPlace::rank_of<Config>(place.m, n);
    }
  }
  // In a cluster a CTA's share of A can lie past the last row. Without clusters it cannot, so the
  // test is compiled out: a branch per K block would slow the consumers.
  if constexpr (Config::kAKMajor) {
    constexpr i32 kARows = Config::kTiling.block_m / Config::kTiling.cluster_n;
    const i32 a_row = static_cast<i32>(place.n) * kARows;
    const TensorMap* const a = tile.a_rows < Config::kTiling.block_m ? &args.a_last : &args.a;
    if (Config::kClusterSize == 1 || a_row < tile.a_rows) {
#pragma unroll
      for (i32 slab = 0; slab < Config::kTiling.block_k / Config::kSlab; ++slab) {
        const u32 rows =
            smem.a(at.stage) + (slab * Config::kTiling.block_m + a_row) * Config::kSlabRowBytes;
        load_slice<Config, Config::kTiling.cluster_n, kARows, Config::kSlabRowBytes>(
            rows, a, k + slab * Config::kSlab, tile.m + a_row, a_matrix(args, tile), barrier,
            a_mask);
      }
    }
  } else if (Config::kClusterSize == 1 || tile.a_rows > 0) {
    load_across_k<Config, Config::kTiling.cluster_n, Config::kTiling.block_m>(
        smem.a(at.stage), &args.a, tile.m, k, static_cast<i32>(place.n), a_matrix(args, tile),
        barrier, a_mask);
  }

  // B: the CTAs of one cluster column (equal n, every m) share it.
  const u32 b_mask = ((1u << Config::kTiling.cluster_m) - 1)
                     << ClusterPlace::rank_of<Config>(0, place.n);
  if constexpr (Config::kBKMajor) {
    constexpr i32 kBRows = Config::kTiling.block_n / Config::kTiling.cluster_m;
    const i32 b_row = static_cast<i32>(place.m) * kBRows;
#pragma unroll
    for (i32 slab = 0; slab < Config::kTiling.block_k / Config::kSlab; ++slab) {
      const u32 rows =
          smem.b(at.b_stage()) + (slab * Config::kTiling.block_n + b_row) * Config::kSlabRowBytes;
      load_slice<Config, Config::kTiling.cluster_m, kBRows, Config::kSlabRowBytes>(
          rows, &args.b, k + slab * Config::kSlab, tile.n + b_row, b_matrix(args, tile), barrier,
          b_mask);
    }
  } else {
    load_across_k<Config, Config::kTiling.cluster_m, Config::kTiling.block_n>(
        smem.b(at.b_stage()), &args.b, tile.n, k, static_cast<i32>(place.m), b_matrix(args, tile),
        barrier, b_mask);
  }
}

}  // namespace tilecast
