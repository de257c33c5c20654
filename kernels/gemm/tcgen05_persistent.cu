// Persistent GEMM on tcgen05: the pipelined tile inside a loop over tiles. Barriers, ring and
// tensor memory are set up once; prologue and epilogue of adjacent tiles do not overlap yet.
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
  static_assert(!Config::kCBorrows, "the next tile loads into the ring at once");
  Tcgen05Cta<Config> cta = Tcgen05Cta<Config>::enter(args);
  const TileScheduler& scheduler = args.scheduler;
  const u32 worker = blockIdx.x / Config::kCtaGroup;
  const u32 end = scheduler.end(worker);
  u32 index = 0;
  for (u32 t = scheduler.first(worker); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, cta.place);
    if (threadIdx.x == 0) {
      trace_tile(args, tile, index);
    }
    ++index;
    if (cta.warp == kIssuingWarp) {
      cta.run_tile(args, tile);
    }
    store_tile_in_slots(args, cta.smem, tile, cta.part, cta.tensor_memory, cta.to_store);
  }
  cta.leave();
}

}  // namespace tilecast
