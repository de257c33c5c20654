// Loads of the tcgen05 kernels. Each CTA of a pair loads its rows of A and half of B's rows; the
// leader's barrier counts all bytes.
#pragma once

#include "kernels/device/tcgen05_setup.cuh"
#include "kernels/device/tile_loads.cuh"

namespace tilecast {

/// Loads one CTA's share of a K block. Called by one thread of each CTA when the stage is empty.
template <class Config>
__device__ inline void load_group_k_block(const Args<Config>& args,
                                          const SharedMemory<Config>& smem,
                                          const RingPosition<Config>& at, const TileOrigin& tile,
                                          i32 k_block, const ClusterPlace& cta) {
  if constexpr (Config::kCtaGroup == 1) {
    load_k_block(args, smem, at, tile, k_block, cta);
  } else {
    if (leads<Config>(cta)) {
      ptx::mbarrier_arrive_expect_tx(
          smem.full(at.stage),
          Config::kCtaGroup * (Config::kSmem.a_stage_bytes + Config::kSmem.b_stage_bytes));
    }
    const u32 barrier = ptx::shared_address_in(smem.full(at.stage), 0);
    constexpr i32 kBRows = Config::kTiling.block_n / Config::kCtaGroup;
    const i32 b_row = tile.n + static_cast<i32>(cta.m) * kBRows;
#pragma unroll
    for (i32 slab = 0; slab < Config::kTiling.block_k / kSlabElements; ++slab) {
      const i32 k = k_block * Config::kTiling.block_k + slab * kSlabElements;
      ptx::tma_load_2d_pair(smem.a(at.stage) + slab * Config::kTiling.block_m * kSwizzleBytes,
                            &args.a, k, tile.m, barrier);
      ptx::tma_load_2d_pair(smem.b(at.b_stage()) + slab * kBRows * kSwizzleBytes, &args.b, k, b_row,
                            barrier);
    }
  }
}

/// Waits until the stage is empty and loads it; called by the whole loading warp, which stays
/// converged.
template <class Config>
__device__ inline void load_group_when_empty(const Args<Config>& args,
                                             const SharedMemory<Config>& smem,
                                             RingPosition<Config>& at, const TileOrigin& tile,
                                             i32 k_block, const ClusterPlace& cta) {
  wait_empty(smem, at);
  if (ptx::elect_one()) {
    load_group_k_block(args, smem, at, tile, k_block, cta);
  }
  __syncwarp();
  at.advance();
}

/// Called after a CTA's last load: waits until the leader's outstanding commits have arrived at its
/// barriers.
template <class Config>
__device__ inline void wait_last_stages(const SharedMemory<Config>& smem, RingPosition<Config> at) {
  if constexpr (Config::kCtaGroup > 1) {
    for (i32 i = 0; i < Config::kTiling.stages; ++i) {
      wait_empty(smem, at);
      at.advance();
    }
  }
}

}  // namespace tilecast
