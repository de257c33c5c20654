// Warp-specialised GEMM on tcgen05: one tile per CTA, persistent, or taking over tiles by cluster
// launch control; with single CTAs or pairs.
//
// After the epilogue's warps come four more: one loads, one issues the MMAs, one requests tiles,
// one is idle. With two accumulators in tensor memory the next tile's MMAs overlap this tile's
// epilogue.
//
// Launch: one CTA per worker of make_tile_scheduler (clusters of two for a pair), kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B. Compiled for sm_100a; no GPU has run it. Checked by:
// kernels/jit/tcgen05_kernel_test.cpp (compiles; resources), ring_position_test.cpp (phases).
#include "kernels/device/tcgen05_epilogue.cuh"
#include "kernels/device/tcgen05_loads.cuh"
#include "kernels/device/tile_source.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

template <class Config>
constexpr i32 kLoadingWarp = kEpilogueWarps<Config>;
template <class Config>
constexpr i32 kIssuingWarp = kEpilogueWarps<Config> + 1;
template <class Config>
constexpr i32 kAskingWarp = kEpilogueWarps<Config> + 2;
template <class Config>
constexpr i32 kAllocatingWarp = kAskingWarp<Config>;

/// Loads the tiles; called by one thread of each CTA.
template <class Config>
__device__ inline void load_tiles(const Args<Config>& args, const SharedMemory<Config>& smem,
                                  const ClusterPlace& cta) {
  RingPosition<Config> at;
  u32 index = 0;
  for (TileSource<Config> tiles(args, smem); tiles.has_tile(); tiles.next()) {
    const TileOrigin tile = tiles.tile(cta);
    if (!Config::kTakesOver) {
      trace_tile(args, tile, index++);
    }
    for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
      wait_empty(smem, at);
      load_group_k_block(args, smem, at, tile, k_block, cta);
      at.advance();
    }
  }
  wait_last_stages(smem, at);
}

/// Issues the MMAs of the tiles; called by one warp of the leader.
template <class Config>
__device__ inline void multiply_tiles(const Args<Config>& args, const SharedMemory<Config>& smem,
                                      const ClusterPlace& cta, u32 tensor_memory) {
  Tcgen05Operation<Config> operation = Tcgen05Operation<Config>::start(smem, cta, tensor_memory);
  RingPosition<Config> consume, release;
  for (TileSource<Config> tiles(args, smem); tiles.has_tile(); tiles.next_of_warp()) {
    operation.begin_tile(smem);
    multiply_k_blocks(
        smem, operation, consume, release, args.k_blocks, cta, [](i32) {}, [] {});
  }
}

/// Stores the tiles; called by each epilogue warp.
template <class Config>
__device__ inline void store_tiles(const Args<Config>& args, const SharedMemory<Config>& smem,
                                   const ClusterPlace& cta, i32 warp, u32 tensor_memory) {
  const EpiloguePart<Config> part = EpiloguePart<Config>::of(warp);
  AccumulatorPosition<Config> at;
  for (TileSource<Config> tiles(args, smem); tiles.has_tile(); tiles.next_of_warp()) {
    store_tile_where_kept(args, smem, tiles.tile(cta), part, tensor_memory, at);
  }
  finish_own_stores();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  const i32 warp = ptx::uniform_warp_index();
  const ClusterPlace cta = ClusterPlace::here<Config>();
  if (warp == kLoadingWarp<Config> && ptx::elect_one()) {
    prefetch_tensor_maps(args);
  }
  const u32 tensor_memory =
      set_up_tcgen05(smem, warp, kAllocatingWarp<Config>, kAnswerReaders<Config>);
  if (warp < kEpilogueWarps<Config>) {
    store_tiles(args, smem, cta, warp, tensor_memory);
  } else if (warp == kLoadingWarp<Config>) {
    if (ptx::elect_one()) {
      load_tiles(args, smem, cta);
    }
  } else if (warp == kIssuingWarp<Config>) {
    if (leads<Config>(cta)) {
      multiply_tiles(args, smem, cta, tensor_memory);
    }
  } else if (Config::kTakesOver && warp == kAskingWarp<Config>) {
    if (ptx::elect_one()) {
      ask_for_tiles(smem, cta);
    }
  }
  take_down_tcgen05(tensor_memory, warp, kAllocatingWarp<Config>);
}

}  // namespace tilecast
