// Pipelined GEMM, one tile per CTA: bulk copies and wgmmas are asynchronous over a ring of stages,
// without specialised warps. Several CTAs per SM hide each other's prologue and epilogue if shared
// memory and registers allow.
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
  static_assert(Config::kClusterSize == 1, "clusters are for kernels whose loads run ahead");
  const auto [smem, loads, warpgroup, place, operands] = MultiplyingWarpgroup<Config>::enter(args);
  const TileOrigin tile =
      tile_origin(args, args.scheduler.first(blockIdx.x), ClusterPlace{0, 0, 0});
  if (threadIdx.x == 0) {
    trace_tile(args, tile, 0);
  }
  RingState<Config> ring;
  Accumulator<Config> acc;
  load_epilogue(args, acc, tile, place);
  run_tile(args, smem, ring, acc, operands, tile);
  begin_residual(args, acc, tile, place);
  store_tile_where_staged(args, smem, acc, tile, place, warpgroup);
  finish_stores();
}

}  // namespace tilecast
