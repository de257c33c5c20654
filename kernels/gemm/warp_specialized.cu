// Persistent, warp-specialised, cooperative GEMM.
//
// One producer warpgroup keeps the ring of stages full, across tile boundaries; the consumer
// warpgroups split block_m between them and share B. Registers move from the producer to the
// consumers. A cluster shares operands by multicast: every CTA loads its slice for all.
//
// Contract: a cluster of CTAs for each of make_tile_scheduler's workers, kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, rows of A
// and B of whole 16 bytes.
//
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm_correctness_test.cpp
// (results), validate/measure/tile_trace_test.cpp (order of tiles).
#include "kernels/device/epilogue.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

constexpr i32 kThreads = threads_per_cta(Schedule::kWarpSpecialized, kTiling);
constexpr RegisterPlan kRegisters = register_plan(kTiling.warpgroups, kCtasPerSm);

__device__ void produce(const GemmArgs& args, const SharedMemory& smem, const ClusterPlace& place) {
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / kClusterSize;
  const u32 end = scheduler.end(worker);
  RingPosition at;
  u32 index = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(scheduler.coord(t), place);
    trace_tile(args, tile, index++);
    for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
      wait_empty(smem, at);
      load_k_block(args, smem, at.stage, tile, k_block, place);
      at.advance();
    }
  }
}

__device__ void consume(const GemmArgs& args, const SharedMemory& smem, const ClusterPlace& place,
                        i32 warpgroup) {
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / kClusterSize;
  const u32 end = scheduler.end(worker);
  const OperandDescriptors operands = OperandDescriptors::of(smem, warpgroup);
  RingPosition at;
  RingPosition to_release;  // trails `at` by the K blocks still in flight
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    Accumulator acc;
    for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
      wait_full(smem, at);
      mma_k_block(acc, operands, at.stage, k_block > 0);
      at.advance();
      ptx::wgmma_wait<kInflight>();
      if (k_block >= kInflight) {
        release_stage(smem, to_release.stage, place);
        to_release.advance();
      }
    }
    ptx::wgmma_wait<0>();
    acc.fence();
    while (to_release.stage != at.stage) {
      release_stage(smem, to_release.stage, place);
      to_release.advance();
    }
    store_tile(args, smem, acc, tile_origin(scheduler.coord(t), place), warpgroup);
  }
  finish_stores();
}

}  // namespace tilecast

extern "C" __global__ void __launch_bounds__(tilecast::kThreads, tilecast::kCtasPerSm)
    tilecast_gemm(const __grid_constant__ tilecast::GemmArgs args) {
  using namespace tilecast;
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory smem = SharedMemory::of(dynamic);
  const ClusterPlace place = ClusterPlace::here();
  init_stage_barriers(smem);

  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  if (warpgroup == kTiling.warpgroups) {
    ptx::setmaxnreg_dec<kRegisters.producer>();
    if (warp % kWarpsPerWarpgroup == 0 && ptx::elect_one()) {
      produce(args, smem, place);
    }
  } else {
    ptx::setmaxnreg_inc<kRegisters.consumer>();
    consume(args, smem, place, warpgroup);
  }
  if constexpr (kClusterSize > 1) {
    // Peers may still arrive at this CTA's barriers: nobody leaves before all have finished.
    __syncwarp();
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}
