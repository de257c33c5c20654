// Persistent GEMM with overlapped tiles: loads run ahead across tile boundaries, so that the next
// tile's first K blocks arrive during this tile's last wgmmas and epilogue. A tile's stores are
// waited for only when the next tile needs their staging buffers.
//
// C is staged in dedicated slots or aliases B stages. In the latter case the B ring has one stage
// more than the A ring, and the loads into the stages released at the end of a tile wait until the
// tile's stores have been read, so that two B stages are free. Each slot of C is inside one stage,
// wherever the ring wraps. A cluster shares operands by multicast.
//
// Launch: a cluster of CTAs for each of make_tile_scheduler's workers, kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/trace.cuh"
#include "kernels/device/unspecialized_loop.cuh"

namespace tilecast {

/// Position of the next K block to load, over all tiles of this worker. Used by warp 0.
template <class Config>
struct LoadsAhead {
  u32 worker, linear;
  TileOrigin tile;
  i32 k_block;

  __device__ static LoadsAhead<Config> of(const Args<Config>& args, u32 worker,
                                          const ClusterPlace& place) {
    const u32 first = args.scheduler.first(worker);
    return {worker, first, tile_origin(args, first, place), 0};
  }

  __device__ void load(const Args<Config>& args, const SharedMemory<Config>& smem,
                       RingPosition<Config>& at, const ClusterPlace& place) {
    const TileScheduler& scheduler = args.scheduler;
    if (linear >= scheduler.end(worker)) {
      return;
    }
    load_when_empty(args, smem, at, tile, k_block, place);
    if (++k_block == args.k_blocks) {
      k_block = 0;
      linear = scheduler.next(linear);
      if (linear < scheduler.end(worker)) {
        tile = tile_origin(args, linear, place);
      }
    }
  }
};

/// Returns the address of the i-th slot of C in the B stages that are free once a tile's wgmmas are
/// complete; `free` is the first of them.
template <class Config>
__device__ inline u32 borrowed_slot(const SharedMemory<Config>& smem, i32 free, i32 i) {
  constexpr i32 kPerStage = max_of(1, Config::kSmem.b_stage_bytes / Config::kSmem.c_slot_bytes);
  const i32 stage = free + i / kPerStage;
  return smem.b(stage < Config::kSmem.b_stages ? stage : stage - Config::kSmem.b_stages) +
         i % kPerStage * Config::kSmem.c_slot_bytes;
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(!Config::kCBorrows || Config::kInflight >= 1,
                "the load that is put off frees the second B stage");
  const ClusterPlace cta = ClusterPlace::here<Config>();
  const auto [smem, loads, warpgroup, place, operands] = MultiplyingWarpgroup<Config>::enter(args);
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / Config::kClusterSize;
  const u32 end = scheduler.end(worker);

  RingState<Config> ring;
  LoadsAhead<Config> ahead = LoadsAhead<Config>::of(args, worker, cta);
  // If C borrows stages, the last kInflight loads of every round are delayed (below).
  constexpr i32 kAhead = Config::kTiling.stages - (Config::kCBorrows ? Config::kInflight : 0);
  if (loads) {
    for (i32 i = 0; i < kAhead; ++i) {
      ahead.load(args, smem, ring.load, cta);
    }
  }
  u32 index = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, cta);
    if (threadIdx.x == 0) {
      trace_tile(args, tile, index);
    }
    ++index;
    Accumulator<Config> acc;
    load_epilogue(args, acc, tile, place);
    multiply_tile(smem, operands, ring, acc, args.k_blocks, cta, [&](i32 k_block) {
      if (!loads || (!Config::kCBorrows && k_block < Config::kInflight)) {
        return;
      }
      if (Config::kCBorrows && k_block == 0 && ptx::elect_one()) {
        ptx::tma_store_wait_read<0>();  // the stages that the last tile's C aliased are free
      }
      ahead.load(args, smem, ring.load, cta);
    });
    let_next_kernel_begin<Config>();
    begin_residual(args, acc, tile, place);
    if constexpr (Config::kCBorrows) {
      store_tile_borrowing(args, acc, tile, place, warpgroup, [&](i32 i) {
        // Only warp 0 knows the next load's position. All warps know that stages - kInflight loads
        // are ahead of consumption.
        const i32 next = ring.consume.b_stage() + kAhead;
        return borrowed_slot(
            smem, next < Config::kSmem.b_stages ? next : next - Config::kSmem.b_stages, i);
      });
    } else {
      if (loads) {
        for (i32 i = 0; i < min_of(Config::kInflight, args.k_blocks); ++i) {
          ahead.load(args, smem, ring.load, cta);
        }
      }
      store_tile(args, smem, acc, tile, place, warpgroup);
    }
  }
  finish_stores();
  if (loads) {
    outlast_peers(smem, ring.load);
  }
}

}  // namespace tilecast
