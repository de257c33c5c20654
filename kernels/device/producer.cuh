// The producer of the warp-specialised kernels: one thread that keeps the ring of stages full,
// across tile boundaries.
#pragma once

#include "kernels/device/residual_loads.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

template <class Config>
__device__ inline void produce(const Args<Config>& args, const SharedMemory<Config>& smem,
                               const ClusterPlace& place) {
  const TileScheduler& scheduler = scheduler_of(args);
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const u32 end = scheduler.end(worker);
  RingPosition<Config> at;
  u32 index = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, place);
    trace_tile(args, tile, index++);
    ResidualFetch<Config> fetch(tile.k_blocks(args));
    for (i32 k_block = 0; k_block < tile.k_blocks(args); ++k_block) {
      wait_empty(smem, at);
      load_k_block(args, smem, at, tile, k_block, place);
      if constexpr (Config::kResidualInRing) {
        fetch.behind(args, tile, k_block);
      }
      at.advance();
    }
    if constexpr (Config::kResidualInRing) {
      if (args.result.residual_by_tma != 0) {
        load_residual(args, smem, at, tile);
      }
    }
  }
  let_next_kernel_begin<Config>();
  outlast_peers(smem, at);
}

}  // namespace tilecast
