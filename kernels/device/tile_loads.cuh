// Bulk copies of one K block of A and B into a stage. In a cluster every CTA loads its slice of a
// shared operand and multicasts it, so that each byte leaves L2 once per cluster.
//
// Stage layouts (smem_layout.h): A and K-major B as slabs of 64 K elements, [slab][row][64];
// N-major B as slabs of 64 N elements, [slab][k][64].
#pragma once

#include "kernels/device/stage_ring.cuh"
#include "kernels/gemm/gemm_args.h"
#include "kernels/ptx/tma.cuh"

namespace tilecast {

static_assert(kLayout == Layout::kTn || kTiling.block_n % kSlabElements == 0,
              "N-major B comes in slabs of 64 columns");

/// First element of a CTA's tile along m and n.
struct TileOrigin {
  i32 m, n;
};

__device__ inline TileOrigin tile_origin(TileCoord cluster_tile, const ClusterPlace& place) {
  return {static_cast<i32>(cluster_tile.m * kTiling.cluster_m + place.m) * kTiling.block_m,
          static_cast<i32>(cluster_tile.n * kTiling.cluster_n + place.n) * kTiling.block_n};
}

template <i32 kSharers>
__device__ inline void load_slice(u32 destination, const TensorMap* map, i32 x, i32 y, u32 barrier,
                                  u32 cta_mask) {
  if constexpr (kSharers == 1) {
    ptx::tma_load_2d(destination, map, x, y, barrier);
  } else {
    ptx::tma_load_2d_multicast(destination, map, x, y, barrier,
                               static_cast<unsigned short>(cta_mask));
  }
}

/// Called by one thread, with the stage empty.
__device__ inline void load_k_block(const GemmArgs& args, const SharedMemory& smem, i32 stage,
                                    const TileOrigin& tile, i32 k_block,
                                    const ClusterPlace& place) {
  const u32 barrier = smem.full(stage);
  ptx::mbarrier_arrive_expect_tx(barrier, kSmem.a_stage_bytes + kSmem.b_stage_bytes);

  // A: the CTAs of one cluster row (equal m, every n) share it.
  constexpr i32 kARows = kTiling.block_m / kTiling.cluster_n;
  u32 a_mask = 0;
  for (u32 n = 0; n < kTiling.cluster_n; ++n) {
    a_mask |= 1u << ClusterPlace::rank_of(place.m, n);
  }
  const i32 a_row = static_cast<i32>(place.n) * kARows;
#pragma unroll
  for (i32 slab = 0; slab < kTiling.block_k / kSlabElements; ++slab) {
    load_slice<kTiling.cluster_n>(smem.a(stage) + (slab * kTiling.block_m + a_row) * kSwizzleBytes,
                                  &args.a, k_block * kTiling.block_k + slab * kSlabElements,
                                  tile.m + a_row, barrier, a_mask);
  }

  // B: the CTAs of one cluster column (equal n, every m) share it.
  const u32 b_mask = ((1u << kTiling.cluster_m) - 1) << ClusterPlace::rank_of(0, place.n);
  if constexpr (kLayout == Layout::kTn) {
    constexpr i32 kBRows = kTiling.block_n / kTiling.cluster_m;
    const i32 b_row = static_cast<i32>(place.m) * kBRows;
#pragma unroll
    for (i32 slab = 0; slab < kTiling.block_k / kSlabElements; ++slab) {
      load_slice<kTiling.cluster_m>(
          smem.b(stage) + (slab * kTiling.block_n + b_row) * kSwizzleBytes, &args.b,
          k_block * kTiling.block_k + slab * kSlabElements, tile.n + b_row, barrier, b_mask);
    }
  } else {
    constexpr i32 kBRows = kTiling.block_k / kTiling.cluster_m;
    const i32 b_row = static_cast<i32>(place.m) * kBRows;
#pragma unroll
    for (i32 slab = 0; slab < kTiling.block_n / kSlabElements; ++slab) {
      load_slice<kTiling.cluster_m>(
          smem.b(stage) + (slab * kTiling.block_k + b_row) * kSwizzleBytes, &args.b,
          tile.n + slab * kSlabElements, k_block * kTiling.block_k + b_row, barrier, b_mask);
    }
  }
}

}  // namespace tilecast
