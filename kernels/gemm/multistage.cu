// Multistage GEMM for GPUs without TMA and wgmma, from Ampere on (CUTLASS: MmaMultistage). One tile
// per CTA; several CTAs per SM hide each other's prologue and epilogue if shared memory and
// registers allow.
//
// Launch: one CTA per worker of make_tile_scheduler, kThreads threads, kSmem.total_bytes of dynamic
// shared memory, a_plain and b_plain instead of tensor maps, 16-byte aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/epilogue.cuh"
#include "kernels/device/mma_sync_loop.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(Config::kCBorrows && Config::kClusterSize == 1, "C is staged in the drained ring");
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  const i32 warpgroup = ptx::uniform_warp_index() / kWarpsPerWarpgroup;
  const WarpgroupPlace place = WarpgroupPlace::of<Config>(warpgroup);
  const TileOrigin tile =
      tile_origin(args, args.scheduler.first(blockIdx.x), ClusterPlace{0, 0, 0});
  if (threadIdx.x == 0) {
    trace_tile(args, tile, 0);
  }
  Accumulator<Config> acc;
  RingState<Config> ring;
  multiply_by_threads(args, smem, acc, tile, place, 0, args.k_blocks, ring);
  begin_residual(args, acc, tile, place);
  store_tile_by_threads(args, smem, acc, tile, place, warpgroup);
}

}  // namespace tilecast
