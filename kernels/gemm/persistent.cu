// Persistent GEMM: the pipelined tile inside a loop over tiles, with as many CTAs as fit on the
// GPU. The barriers and the ring are set up once; prologue and epilogue of adjacent tiles do not
// overlap yet (persistent_overlap.cu overlaps them).
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
  static_assert(!Config::kCBorrows, "the next tile loads into the ring at once");
  const auto [smem, loads, warpgroup, place, operands] = MultiplyingWarpgroup<Config>::enter(args);
  const TileScheduler& scheduler = args.scheduler;
  const u32 end = scheduler.end(blockIdx.x);
  RingState<Config> ring;
  u32 index = 0;
  for (u32 t = scheduler.first(blockIdx.x); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(args, t, ClusterPlace{0, 0, 0});
    if (threadIdx.x == 0) {
      trace_tile(args, tile, index);
    }
    ++index;
    Accumulator<Config> acc;
    load_epilogue(args, acc, tile, place);
    run_tile(args, smem, ring, acc, operands, tile);
    begin_residual(args, acc, tile, place);
    store_tile(args, smem, acc, tile, place, warpgroup);
  }
  finish_stores();
}

}  // namespace tilecast
