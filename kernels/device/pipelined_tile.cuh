// One tile without specialised warps: warp 0 also issues the loads, as soon as every warpgroup has
// released a stage. Shared by the kernels that run one tile per CTA and many.
#pragma once

#include "kernels/device/epilogue.cuh"

namespace tilecast {

/// The ring as warp 0 fills it and as all warpgroups drain it; lives across tiles.
struct PipelineState {
  RingPosition load, consume, release;
};

/// Warp 0 as a whole, so that it stays converged for the wgmmas that follow.
__device__ inline void load_when_empty(const GemmArgs& args, const SharedMemory& smem,
                                       PipelineState& ring, const TileOrigin& tile, i32 k_block) {
  wait_empty(smem, ring.load);
  if (ptx::elect_one()) {
    load_k_block(args, smem, ring.load.stage, tile, k_block, ClusterPlace{0, 0, 0});
  }
  __syncwarp();
  ring.load.advance();
}

__device__ inline void run_tile(const GemmArgs& args, const SharedMemory& smem, PipelineState& ring,
                                const TileOrigin& tile) {
  static_assert(kClusterSize == 1, "only warp-specialised kernels use clusters");
  static_assert(kInflight < kTiling.stages, "a stage must be free while wgmmas are in flight");
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const bool loads = warp == 0;
  const OperandDescriptors operands = OperandDescriptors::of(smem, warpgroup);
  Accumulator acc;

  const i32 prologue = min_of(kTiling.stages, args.k_blocks);
  if (loads) {
    for (i32 k_block = 0; k_block < prologue; ++k_block) {
      load_when_empty(args, smem, ring, tile, k_block);
    }
  }
  i32 next_load = prologue;
  for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
    wait_full(smem, ring.consume);
    mma_k_block(acc, operands, ring.consume.stage, k_block > 0);
    ring.consume.advance();
    ptx::wgmma_wait<kInflight>();
    if (k_block >= kInflight) {
      release_stage(smem, ring.release.stage, ClusterPlace{0, 0, 0});
      ring.release.advance();
      if (loads && next_load < args.k_blocks) {
        load_when_empty(args, smem, ring, tile, next_load);
        ++next_load;
      }
    }
  }
  ptx::wgmma_wait<0>();
  acc.fence();
  while (ring.release.stage != ring.consume.stage) {
    release_stage(smem, ring.release.stage, ClusterPlace{0, 0, 0});
    ring.release.advance();
  }
  store_tile(args, smem, acc, tile, warpgroup);
}

}  // namespace tilecast
