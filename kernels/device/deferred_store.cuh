// The deferred store of a tile: the finished tile stays in registers as packed pairs of C's
// elements. It is stored chunk by chunk during the next tile, one chunk after the wgmmas of each K
// block. Between two tiles the tensor cores then wait only for the packing.
//
// Chunks for which the next tile's accumulators leave no registers are stored immediately
// (deferred_chunks in model/gemm/config/register_plan.h). Chunks of the last tile, or chunks left
// because the next tile has fewer K blocks, are stored after the last wgmmas. Old values of C are
// read when the tile is packed. Checked by: kernels/jit/gemm_launch_test.cpp (results),
// gemm_kernel_test.cpp (no spills).
#pragma once

#include "kernels/device/epilogue.cuh"

namespace tilecast {

/// A warpgroup's waiting chunks. Every function is called by all of its threads.
template <class Config>
class DeferredStore {
 public:
  /// Packs a tile's part in the accumulators. No chunk may be waiting.
  __device__ void keep(const Args<Config>& args, const SharedMemory<Config>& smem,
                       Accumulator<Config>& acc, const TileOrigin& tile,
                       const WarpgroupPlace& place, i32 warpgroup) {
    part_ = part_origin(tile, place);
    acc.amax.begin();
    store_chunks<kAtOnce>(args, smem, acc, part_, warpgroup);
#pragma unroll
    for (i32 i = 0; i < kWaiting; ++i) {
      const Chunk<Config> chunk = Chunk<Config>::at(kAtOnce + i);
#pragma unroll
      for (i32 sixteen = 0; sixteen < chunk.sixteens(); ++sixteen) {
        pack_sixteen(args, acc, chunk, sixteen, part_, waiting_[i][sixteen]);
      }
    }
    acc.amax.publish(args);
    next_ = 0;
  }

  /// Stores the first waiting chunk, if there is one.
  __device__ void store_one(const Args<Config>& args, const SharedMemory<Config>& smem,
                            i32 warpgroup) {
    const i32 now = next_;
#pragma unroll
    // unrolled, because registers cannot be indexed at run time
    for (i32 i = 0; i < kWaiting; ++i) {
      if (i == now) {
        store_through_slot(args, smem, kAtOnce + i, part_, warpgroup,
                           [&](u32 slot, const Chunk<Config>& chunk) {
#pragma unroll
                             for (i32 sixteen = 0; sixteen < chunk.sixteens(); ++sixteen) {
                               stage_sixteen(slot, chunk, sixteen, waiting_[i][sixteen]);
                             }
                           });
        next_ = now + 1;
      }
    }
  }

  __device__ void store_rest(const Args<Config>& args, const SharedMemory<Config>& smem,
                             i32 warpgroup) {
    while (next_ < kWaiting) {
      store_one(args, smem, warpgroup);
    }
  }

 private:
  static constexpr i32 kWaiting = Config::kDeferredChunks;
  static constexpr i32 kAtOnce = Config::kChunks - kWaiting;

  Pairs<Config> waiting_[max_of(1, kWaiting)][ceil_div(Config::kSlotColumns, 16)];
  TileOrigin part_;
  i32 next_ = kWaiting;  // first waiting chunk
};

}  // namespace tilecast
