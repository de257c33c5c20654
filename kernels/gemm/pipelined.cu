// Pipelined GEMM, one tile per CTA: bulk copies and wgmmas both asynchronous over a ring of stages,
// no specialised warps. Several CTAs per SM hide each other's prologue and epilogue where shared
// memory and registers allow.
//
// Contract: make_tile_scheduler's workers as grid, kThreads threads, kSmem.total_bytes of dynamic
// shared memory, tensor maps with the boxes of gemm_args.h, rows of A and B of whole 16 bytes.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm_correctness_test.cpp
// (results), validate/measure/tile_trace_test.cpp (order of tiles).
#include "kernels/device/pipelined_tile.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {
constexpr i32 kThreads = threads_per_cta(Schedule::kPipelined, kTiling);
}

extern "C" __global__ void __launch_bounds__(tilecast::kThreads, tilecast::kCtasPerSm)
    tilecast_gemm(const __grid_constant__ tilecast::GemmArgs args) {
  using namespace tilecast;
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory smem = SharedMemory::of(dynamic);
  init_stage_barriers(smem);

  const TileCoord coord = args.scheduler.coord(args.scheduler.first(blockIdx.x));
  const TileOrigin tile = tile_origin(coord, ClusterPlace{0, 0, 0});
  if (threadIdx.x == 0) {
    trace_tile(args, tile, 0);
  }
  PipelineState ring;
  run_tile(args, smem, ring, tile);
  finish_stores();
}
