// Persistent GEMM on tcgen05 with overlapped tiles: warp 0's loads run ahead across tile
// boundaries, so that the next tile's first K blocks arrive during this tile's last MMAs and
// epilogue.
//
// C is staged in dedicated slots or aliases B stages. In the latter case the B ring has one stage
// more than the A ring, and the loads into the stages released at the end of a tile wait until
// every warp's stores have been read, so that two B stages are free. Each slot of C is inside one
// stage, wherever the ring wraps.
//
// Launch: one CTA per worker of make_tile_scheduler (clusters of two for a pair), kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B. Compiled for sm_100a; no GPU has run it. Checked by:
// kernels/jit/tcgen05_kernel_test.cpp (compiles; resources), ring_position_test.cpp (phases).
#include "kernels/device/tcgen05_loop.cuh"

namespace tilecast {

/// Number of loads ahead of the MMAs when a tile ends; if C aliases stages, the others are delayed.
template <class Config>
constexpr i32 kLoadsAhead =
    Config::kTiling.stages - (Config::kCBorrows ? Tcgen05Operation<Config>::kLag : 0);
constexpr u32 kStoresReadBarrier = 1;  // named barrier; 0 is __syncthreads

/// Position of the next K block to load, over all tiles of this worker. Used by the issuing warp.
template <class Config>
struct NextLoad {
  u32 worker, linear;
  TileOrigin tile;
  i32 k_block;

  __device__ void load(const Args<Config>& args, Tcgen05Cta<Config>& cta) {
    const TileScheduler& scheduler = args.scheduler;
    if (linear >= scheduler.end(worker)) {
      return;
    }
    cta.load(args, tile, k_block);
    if (++k_block == args.k_blocks) {
      k_block = 0;
      linear = scheduler.next(linear);
      if (linear < scheduler.end(worker)) {
        tile = tile_origin(args, linear, cta.place);
      }
    }
  }
};

/// Returns the address of the i-th slot of C in the B stages that are free once a tile's MMAs are
/// complete; `free` is the first of them.
template <class Config>
__device__ inline u32 borrowed_slot(const SharedMemory<Config>& smem, i32 free, i32 i) {
  constexpr i32 kPerStage = max_of(1, Config::kSmem.b_stage_bytes / Config::kSmem.c_slot_bytes);
  const i32 stage = free + i / kPerStage;
  return smem.b(stage < Config::kSmem.b_stages ? stage : stage - Config::kSmem.b_stages) +
         i % kPerStage * Config::kSmem.c_slot_bytes;
}

/// B's ring position after the prefetched loads; every warp tracks it.
template <class Config>
struct FreeStages {
  i32 b_stage = 0;  // stage of the next tile's first MMA

  __device__ i32 first_free() const {
    const i32 next = b_stage + kLoadsAhead<Config>;
    return next < Config::kSmem.b_stages ? next : next - Config::kSmem.b_stages;
  }
  __device__ void pass_tile(i32 k_blocks) {
    b_stage = (b_stage + k_blocks) % Config::kSmem.b_stages;
  }
};

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  Tcgen05Cta<Config> cta = Tcgen05Cta<Config>::enter(args);
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / Config::kCtaGroup;
  const u32 first = scheduler.first(worker);
  const u32 end = scheduler.end(worker);
  const bool issues = cta.warp == kIssuingWarp;
  const i32 warpgroup = cta.warp / kWarpsPerWarpgroup;
  NextLoad<Config> next{worker, first, tile_origin(args, first, cta.place), 0};
  FreeStages<Config> free_stages;
  if (issues) {
    for (i32 i = 0; i < kLoadsAhead<Config>; ++i) {
      next.load(args, cta);
    }
  }
  u32 index = 0;
  for (u32 t = first; t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, cta.place);
    if (threadIdx.x == 0) {
      trace_tile(args, tile, index);
    }
    if (issues) {
      cta.multiply(args.k_blocks, [&](i32 k_block) {
        if (!Config::kCBorrows && k_block < Tcgen05Operation<Config>::kLag) {
          return;
        }
        if (Config::kCBorrows && k_block == 0 && t != first) {
          ptx::named_barrier_sync(kStoresReadBarrier,
                                  Config::kThreads);  // stores of the last tile's C
        }
        next.load(args, cta);
      });
    }
    free_stages.pass_tile(args.k_blocks);
    if constexpr (Config::kCBorrows) {
      const i32 free = free_stages.first_free();
      store_tile_at(
          args, cta.smem, tile, cta.part, cta.tensor_memory, cta.to_store,
          [&](i32 chunk) {
            return borrowed_slot(cta.smem, free, warpgroup * kPartChunks<Config> + chunk);
          },
          [](i32) {});
      finish_own_stores();
      if (!issues && scheduler.next(t) < end) {
        ptx::named_barrier_arrive(kStoresReadBarrier, Config::kThreads);
      }
    } else {
      if (issues) {
        for (i32 i = 0; i < min_of(Tcgen05Operation<Config>::kLag, args.k_blocks); ++i) {
          next.load(args, cta);
        }
      }
      store_tile_in_slots(args, cta.smem, tile, cta.part, cta.tensor_memory, cta.to_store);
    }
    ++index;
  }
  cta.leave();
}

}  // namespace tilecast
