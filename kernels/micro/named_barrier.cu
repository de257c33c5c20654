// Key: machine.barrier (the barriers of an epilogue).
//
// Method: all warps of the CTA repeatedly synchronize at one named barrier.
//
// Excludes: skew (no work between barriers); setmaxnreg.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(1024)
    tilecast_named_barrier(u32 turns, TimedSample* samples) {
  const u32 threads = blockDim.x;
  ptx::named_barrier_sync(1, threads);
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
    ptx::named_barrier_sync(1, threads);
  }
  if (threadIdx.x == 0) {
    samples[blockIdx.x] = watch.stop(turns);
  }
}

}  // namespace tilecast
