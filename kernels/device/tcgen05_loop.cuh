// The loop over K blocks of the tcgen05 kernels without specialised warps: warp 0 loads and issues,
// and then stores together with the others. Shared by pipelined, persistent and persistent_overlap.
#pragma once

#include "kernels/device/tcgen05_epilogue.cuh"
#include "kernels/device/tcgen05_loads.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

constexpr i32 kIssuingWarp = 0;
constexpr i32 kAllocatingWarp = 1;

/// State of one CTA that persists across tiles.
template <class Config>
struct Tcgen05Cta {
  static_assert(Config::kAccumulators == 1, "the warp that issues also stores");

  SharedMemory<Config> smem;
  ClusterPlace place;
  i32 warp;
  u32 tensor_memory;
  Tcgen05Operation<Config> operation;
  RingState<Config> ring;
  AccumulatorPosition<Config> to_store;
  EpiloguePart<Config> part;

  __device__ static Tcgen05Cta<Config> enter(const Args<Config>& args) {
    const SharedMemory<Config> smem = SharedMemory<Config>::here();
    const i32 warp = ptx::uniform_warp_index();
    if (threadIdx.x == Config::kThreads - 1) {
      prefetch_tensor_maps(args);
    }
    const ClusterPlace place = ClusterPlace::here<Config>();
    const u32 tensor_memory = set_up_tcgen05(smem, warp, kAllocatingWarp, 0);
    return {smem,
            place,
            warp,
            tensor_memory,
            Tcgen05Operation<Config>::start(smem, place, tensor_memory),
            {},
            {},
            EpiloguePart<Config>::of(warp)};
  }

  __device__ void load(const Args<Config>& args, const TileOrigin& tile, i32 k_block) {
    load_group_when_empty(args, smem, ring.load, tile, k_block, place);
  }

  /// Multiplies one tile; called by the issuing warp. `load_next(k_block)` issues the next loads.
  template <class LoadNext>
  __device__ void multiply(i32 k_blocks, LoadNext load_next) {
    operation.begin_tile(smem);
    multiply_k_blocks(smem, operation, ring.consume, ring.release, k_blocks, place, load_next,
                      [] {});
  }

  /// Multiplies a tile including all of its loads; called by the issuing warp.
  __device__ void run_tile(const Args<Config>& args, const TileOrigin& tile) {
    const i32 prologue = min_of(Config::kTiling.stages, args.k_blocks);
    for (i32 k_block = 0; k_block < prologue; ++k_block) {
      load(args, tile, k_block);
    }
    multiply(args.k_blocks, [&](i32 k_block) {
      const i32 next = k_block - Tcgen05Operation<Config>::kLag + Config::kTiling.stages;
      if (k_block >= Tcgen05Operation<Config>::kLag && next < args.k_blocks) {
        load(args, tile, next);
      }
    });
  }

  __device__ void leave() {
    finish_own_stores();
    if (warp == kIssuingWarp) {
      wait_last_stages(smem, ring.load);
    }
    take_down_tcgen05(tensor_memory, warp, kAllocatingWarp);
  }
};

}  // namespace tilecast
