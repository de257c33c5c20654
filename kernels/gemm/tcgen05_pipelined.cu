// Pipelined GEMM on tcgen05, one tile per CTA or pair of CTAs: warp 0 keeps a ring of stages loaded
// and issues the MMAs, whose accumulators are in tensor memory; then all warps store.
//
// Launch: one CTA per worker of make_tile_scheduler (clusters of two for a pair), kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B. Compiled for sm_100a; no GPU has run it.
// Checked by: kernels/jit/tcgen05_kernel_test.cpp (compiles; resources), ring_position_test.cpp
// (phases).
#include "kernels/device/tcgen05_loop.cuh"

namespace tilecast {

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  Tcgen05Cta<Config> cta = Tcgen05Cta<Config>::enter(args);
  const TileScheduler& scheduler = args.scheduler;
  const TileOrigin tile =
      tile_origin(args, scheduler.first(blockIdx.x / Config::kCtaGroup), cta.place);
  if (threadIdx.x == 0) {
    trace_tile(args, tile, 0);
  }
  if (cta.warp == kIssuingWarp) {
    cta.run_tile(args, tile);
  }
  store_tile_where_kept(args, cta.smem, tile, cta.part, cta.tensor_memory, cta.to_store);
  cta.leave();
}

}  // namespace tilecast
