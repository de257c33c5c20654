// The loop over K blocks without specialised warps: every warpgroup multiplies, and warp 0 also
// issues the loads. Shared by the kernels from pipelined to persistent_overlap.
#pragma once

#include "kernels/device/epilogue.cuh"
#include "kernels/device/wgmma_operation.cuh"

namespace tilecast {

/// State of a warpgroup after the CTA has synchronised. Its wgmmas need no further synchronisation.
template <class Config>
struct MultiplyingWarpgroup {
  SharedMemory<Config> smem;
  bool loads;  // this is warp 0
  i32 warpgroup;
  WarpgroupPlace place;
  OperandDescriptors operands;

  /// Called by all threads of the CTA; on return its barriers are usable.
  __device__ static MultiplyingWarpgroup enter(const Args<Config>& args) {
    const SharedMemory<Config> smem = SharedMemory<Config>::here();
    if (threadIdx.x == Config::kThreads - 1) {
      prefetch_tensor_maps(args);
    }
    set_up_stages(smem);
    const i32 warp = ptx::uniform_warp_index();
    const i32 warpgroup = warp / kWarpsPerWarpgroup;
    const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
    return {smem, warp == 0, warpgroup, place, OperandDescriptors::of(smem, place)};
  }
};

/// Loads a stage once it is empty; called by all of warp 0, so that it stays converged for the
/// following wgmmas.
template <class Config>
__device__ inline void load_when_empty(const Args<Config>& args, const SharedMemory<Config>& smem,
                                       RingPosition<Config>& at, const TileOrigin& tile,
                                       i32 k_block, const ClusterPlace& place) {
  wait_empty(smem, at);
  if (ptx::elect_one()) {
    load_k_block(args, smem, at, tile, k_block, place);
  }
  __syncwarp();
  at.advance();
}

/// Multiplies one tile. `load_next(k_block)` is called for every K block, after its wgmmas have
/// been issued and the stage of the block kInflight earlier has been released.
template <class Config, class LoadNext>
__device__ inline void multiply_tile(const SharedMemory<Config>& smem,
                                     const OperandDescriptors& operands, RingState<Config>& ring,
                                     Accumulator<Config>& acc, i32 k_blocks,
                                     const ClusterPlace& place, LoadNext load_next) {
  WgmmaOperation<Config> operation{operands, acc};
  multiply_k_blocks(smem, operation, ring.consume, ring.release, k_blocks, place, load_next, [] {});
}

/// Multiplies one tile independently of others: its first loads fill the ring, later ones follow
/// the released stages, and the ring ends empty.
template <class Config>
__device__ inline void run_tile(const Args<Config>& args, const SharedMemory<Config>& smem,
                                RingState<Config>& ring, Accumulator<Config>& acc,
                                const OperandDescriptors& operands, const TileOrigin& tile) {
  constexpr ClusterPlace kAlone{0, 0, 0};
  const bool loads = ptx::uniform_warp_index() == 0;
  const i32 prologue = min_of(Config::kTiling.stages, args.k_blocks);
  if (loads) {
    for (i32 k_block = 0; k_block < prologue; ++k_block) {
      load_when_empty(args, smem, ring.load, tile, k_block, kAlone);
    }
  }
  multiply_tile(smem, operands, ring, acc, args.k_blocks, kAlone, [&](i32 k_block) {
    const i32 next = k_block - Config::kInflight + Config::kTiling.stages;
    if (loads && k_block >= Config::kInflight && next < args.k_blocks) {
      load_when_empty(args, smem, ring.load, tile, next, kAlone);
    }
  });
  let_next_kernel_begin<Config>();
}

}  // namespace tilecast
