// The producer of the warp-specialised kernels: one thread that keeps the ring of stages full,
// across tile boundaries.
#pragma once

#include "kernels/device/residual_loads.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/device/timeline.cuh"
#include "kernels/device/trace.cuh"
#include "model/tile/register_plan.h"

namespace tilecast {

constexpr RegisterPlan kRegisters =
    register_plan(kConsumerWarpgroups, kConfig.ctas_per_sm, kConfig.producer_registers);

__device__ inline void produce(const GemmArgs& args, const SharedMemory& smem,
                               const ClusterPlace& place) {
  const TileScheduler& scheduler = scheduler_of(args);
  const u32 worker = blockIdx.x / kClusterSize;
  const u32 end = scheduler.end(worker);
  RingPosition at;
  TileTimeline timeline;
  u32 index = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, place);
    trace_tile(args, tile, index++);
    timeline.begin_loads(tile, 0, tile.k_blocks(args));
    timeline.wait_first_stage(smem, at);
#ifdef TILECAST_RESULT
    ResidualFetch fetch(tile.k_blocks(args));
#endif
    for (i32 k_block = 0; k_block < tile.k_blocks(args); ++k_block) {
      wait_empty(smem, at);
      load_k_block(args, smem, at, tile, k_block, place);
#ifdef TILECAST_RESULT
      if constexpr (residual_in_ring()) {
        fetch.behind(args, tile, k_block);
      }
#endif
      at.advance();
    }
#ifdef TILECAST_RESULT
    if constexpr (residual_in_ring()) {
      if (args.result.residual_by_tma != 0) {
        load_residual(args, smem, at, tile);
      }
    }
#endif
    timeline.stored();
  }
  let_next_kernel_begin();
}

}  // namespace tilecast
