// A's scales of blocks on their way into the stage of their K block, where the bulk copy engine
// cannot bring them with the operands (load_scales): by a warp beside the producer, whose copies
// each arrive at the stage's barrier by themselves, so that loads of all stages can be in flight at
// once.
//
// Copies are of single numbers: rows of scales may begin anywhere and end anywhere.
// Checked by: validate/measure/scales_test.cpp.
#pragma once

#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/cp_async.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

/// The producer warpgroup's other warps: the first of them loads scales where blocks have some.
struct ScaleLoader {
  const SharedMemory& smem;

  template <class Args>  // only arguments of kernels with scales have them
  __device__ void operator()(const Args& args, const ClusterPlace& place) const {
    if constexpr (promotes(fused())) {
      if (ptx::uniform_warp_index() % kWarpsPerWarpgroup == 1 && !scales_by_map(args)) {
        load_all(args, place);
      }
    }
  }

 private:
  template <class Args>
  __device__ void load_all(const Args& args, const ClusterPlace& place) const {
    const TileScheduler& scheduler = scheduler_of(args);
    const u32 worker = blockIdx.x / kClusterSize;
    const u32 end = scheduler.end(worker);
    RingPosition at;
    for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
      const TileOrigin tile = tile_origin(args, t, place);
      for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
        wait_empty(smem, at);
        load(args, smem.scales(at.stage), tile, k_block);
        ptx::cp_async_arrive(smem.full(at.stage));
        at.advance();
      }
    }
  }

  template <class Args>
  __device__ void load(const Args& args, u32 stage, const TileOrigin& tile, i32 k_block) const {
    const i32 lane = static_cast<i32>(threadIdx.x) % 32;
    const float* const a = args.scales.a + static_cast<i64>(k_block) * args.scales.a_stride;
#pragma unroll
    for (i32 row = 0; row < kTiling.block_m; row += 32) {
      const i32 m = tile.m + row + lane;
      ptx::cp_async<4>(stage + (row + lane) * 4, a + m, m < args.m ? 4 : 0);
    }
  }
};

}  // namespace tilecast
