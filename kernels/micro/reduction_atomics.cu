// Key: reduction.sm_add, reduction.chip_add (the additions of split-K and stream-K).
//
// Method: every thread adds fp32 to memory that lies in L2, `turns` times: by one element or by
// four (`vector` 1 or 4), at places of its own, or at those that `sharing` CTAs use together.
//
// Excludes: waiting for results (red returns none); DRAM.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/global_sync.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_reduction_atomics(float* memory, u32 vector, u32 sharing, u32 turns,
                               TimedSample* samples) {
  constexpr u32 kPlaces = 4;  // vectors per thread, in turn
  const u32 group = blockIdx.x / sharing;
  float* mine = memory + (static_cast<u64>(group) * kPlaces * blockDim.x + threadIdx.x) * vector;
  const u32 next = blockDim.x * vector;
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
    float* place = mine + i % kPlaces * next;
    if (vector == 4) {
      ptx::add_four(place, {1, 1, 1, 1});
    } else {
      ptx::add_one(place, 1);
    }
  }
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) {
    samples[blockIdx.x] = watch.stop(static_cast<u64>(turns) * blockDim.x);
  }
}

}  // namespace tilecast
