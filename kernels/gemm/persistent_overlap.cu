// Persistent GEMM with tiles overlapped: the loads run ahead across tile boundaries, so that the
// next tile's first K blocks arrive under this tile's last wgmmas and its epilogue, and a tile's
// stores are waited for only when the next one needs their staging.
//
// C is staged in slots of its own, or borrows B stages: the B ring has one stage more than the A
// ring, and the loads of the stages that a tile's end releases wait until its stores have been
// read, so that two B stages are free meanwhile. Each slot of C lies in one stage, wherever the
// ring wraps. A cluster shares operands by multicast.
//
// Contract: a cluster of CTAs for each of make_tile_scheduler's workers, kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, rows of A
// and B of whole 16 bytes.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm_correctness_test.cpp
// (results), validate/measure/timeline/tile_trace_test.cpp (order of tiles).
#include "kernels/device/trace.cuh"
#include "kernels/device/unspecialized_loop.cuh"

namespace tilecast {

static_assert(!kCBorrows || kInflight >= 1, "the load that is put off frees the second B stage");

/// The next K block to load, over all tiles of this worker. Used by warp 0.
struct LoadsAhead {
  u32 worker, linear;
  TileOrigin tile;
  i32 k_block;

  __device__ static LoadsAhead of(const GemmArgs& args, u32 worker, const ClusterPlace& place) {
    const u32 first = args.scheduler.first(worker);
    return {worker, first, tile_origin(args, first, place), 0};
  }

  __device__ void load(const GemmArgs& args, const SharedMemory& smem, RingPosition& at,
                       const ClusterPlace& place) {
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

/// The i-th slot of C in the B stages that are free once a tile's wgmmas are complete, of which
/// `free` is the first.
__device__ inline u32 borrowed_slot(const SharedMemory& smem, i32 free, i32 i) {
  constexpr i32 kPerStage = max_of(1, kSmem.b_stage_bytes / kSmem.c_slot_bytes);
  const i32 stage = free + i / kPerStage;
  return smem.b(stage < kSmem.b_stages ? stage : stage - kSmem.b_stages) +
         i % kPerStage * kSmem.c_slot_bytes;
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kThreads, tilecast::kConfig.ctas_per_sm)
    tilecast_gemm(const __grid_constant__ tilecast::GemmArgs args) {
  using namespace tilecast;
  TileTimeline timeline;
  timeline.enter();
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory smem = SharedMemory::of(dynamic);
  if (threadIdx.x == kThreads - 1) {
    prefetch_tensor_maps(args);
  }
  const ClusterPlace cta = ClusterPlace::here();
  set_up_stages(smem);

  const i32 warp = ptx::uniform_warp_index();
  const bool loads = warp == 0;
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const WarpgroupPlace place = WarpgroupPlace::of(warpgroup);
  const OperandDescriptors operands = OperandDescriptors::of(smem, place);
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / kClusterSize;
  const u32 end = scheduler.end(worker);

  RingState ring;
  LoadsAhead ahead = LoadsAhead::of(args, worker, cta);
  // Where C borrows stages, the last kInflight loads of every round are put off (below).
  constexpr i32 kAhead = kTiling.stages - (kCBorrows ? kInflight : 0);
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
    Accumulator acc;
    load_epilogue(args, acc, tile, place);
    timeline.begin(tile, 0, args.k_blocks);
    timeline.wait_first_operands(smem, ring.consume);
    multiply_tile(smem, operands, ring, acc, args.k_blocks, cta, [&](i32 k_block) {
      if (!loads || (!kCBorrows && k_block < kInflight)) {
        return;
      }
      if (kCBorrows && k_block == 0 && ptx::elect_one()) {
        ptx::tma_store_wait_read<0>();  // the stages that the last tile's C borrowed are free
      }
      ahead.load(args, smem, ring.load, cta);
    });
    let_next_kernel_begin();
    timeline.multiplied();
    begin_residual(args, acc, tile, place);
    if constexpr (kCBorrows) {
      store_tile_borrowing(args, acc, tile, place, warpgroup, [&](i32 i) {
        // Where the next load would go, warp 0 would know; all know that stages - kInflight loads
        // are ahead of what has been consumed.
        const i32 next = ring.consume.b_stage() + kAhead;
        return borrowed_slot(smem, next < kSmem.b_stages ? next : next - kSmem.b_stages, i);
      });
    } else {
      if (loads) {
        for (i32 i = 0; i < min_of(kInflight, args.k_blocks); ++i) {
          ahead.load(args, smem, ring.load, cta);
        }
      }
      store_tile(args, smem, acc, tile, place, warpgroup);
    }
    timeline.stored();
  }
  timeline.leave();
  finish_stores();
  leave_cluster();
}
