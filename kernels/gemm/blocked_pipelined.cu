// Blocked GEMM with pipelined wgmma and two buffers. Each load is still waited for immediately,
// while the previous K block's wgmmas run.
//
// Launch: one CTA per worker of make_tile_scheduler, kThreads threads, kSmem.total_bytes of dynamic
// shared memory, tensor maps with the boxes of gemm_args.h, 16-byte aligned rows of A and B.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm/random_gemm_test.cpp
// (results), validate/measure/gemm/tile_trace_test.cpp (order of tiles).
#include "kernels/device/trace.cuh"
#include "kernels/device/unspecialized_loop.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(Config::kTiling.stages == 2, "one buffer loads while the other is read");
  constexpr ClusterPlace kAlone{0, 0, 0};
  const auto [smem, loads, warpgroup, place, operands] = MultiplyingWarpgroup<Config>::enter(args);
  const TileOrigin tile = tile_origin(args, args.scheduler.first(blockIdx.x), kAlone);
  if (threadIdx.x == 0) {
    trace_tile(args, tile, 0);
  }
  RingPosition<Config> load, at, release;
  Accumulator<Config> acc;
  load_epilogue(args, acc, tile, place);
  for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
    if (loads) {
      load_when_empty(args, smem, load, tile, k_block, kAlone);
    }
    wait_full(smem, at);
    ptx::wgmma_wait<0>();  // waits for the previous K block's wgmmas, which ran during the load
    if (k_block > 0) {
      release_stage(smem, release.stage, kAlone);
      release.advance();
    }
    mma_k_block(acc, operands, at, k_block > 0);
    at.advance();
  }
  ptx::wgmma_wait<0>();
  acc.fence();
  begin_residual(args, acc, tile, place);
  store_tile_where_staged(args, smem, acc, tile, place, warpgroup);
  finish_stores();
}

}  // namespace tilecast
