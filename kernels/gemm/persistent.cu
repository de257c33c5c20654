// Persistent GEMM: the pipelined tile inside a loop over tiles, one CTA per slot of the chip. The
// barriers and the ring are set up once; prologue and epilogue of neighbouring tiles still take
// turns (warp_specialized.cu overlaps them).
//
// Contract: make_tile_scheduler's workers as grid, kThreads threads, kSmem.total_bytes of dynamic
// shared memory, tensor maps with the boxes of gemm_args.h, rows of A and B of whole 16 bytes.
// Checked by: kernels/jit/gemm_launch_test.cpp and validate/measure/gemm_correctness_test.cpp
// (results), validate/measure/tile_trace_test.cpp (order of tiles).
#include "kernels/device/pipelined_tile.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {
constexpr i32 kThreads = threads_per_cta(Schedule::kPersistent, kTiling);
}

extern "C" __global__ void __launch_bounds__(tilecast::kThreads, tilecast::kCtasPerSm)
    tilecast_gemm(const __grid_constant__ tilecast::GemmArgs args) {
  using namespace tilecast;
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory smem = SharedMemory::of(dynamic);
  init_stage_barriers(smem);

  const TileScheduler& scheduler = args.scheduler;
  const u32 end = scheduler.end(blockIdx.x);
  PipelineState ring;
  u32 index = 0;
  for (u32 t = scheduler.first(blockIdx.x); t < end; t = scheduler.next(t)) {
    const TileOrigin tile = tile_origin(scheduler.coord(t), ClusterPlace{0, 0, 0});
    if (threadIdx.x == 0) {
      trace_tile(args, tile, index);
    }
    ++index;
    run_tile(args, smem, ring, tile);
  }
  finish_stores();
}
