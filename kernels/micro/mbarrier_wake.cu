// Key: machine.wake: the time from an arrival until a waiting warp of the same SM continues.
//
// Method: one warp arrives at a barrier that all other warps of the CTA wait for; each of them then
// arrives at a second barrier, which the first warp waits for. Half a round trip is the time from
// arrival to the wake-up of the last warp.
//
// Excludes: work between wait and arrival (none).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(1024)
    tilecast_mbarrier_wake(u32 rounds, TimedSample* samples) {
  __shared__ __align__(8) u64 words[2];
  const u32 ping = ptx::shared_address(&words[0]), pong = ptx::shared_address(&words[1]);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(ping, 1);
    ptx::mbarrier_init(pong, blockDim.x / 32 - 1);
    ptx::fence_mbarrier_init();
  }
  __syncthreads();
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < rounds; ++i) {
    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive(ping);
      ptx::mbarrier_wait_or_trap(pong, i & 1);
    } else if (threadIdx.x >= 32) {
      ptx::mbarrier_wait_or_trap(ping, i & 1);
      __syncwarp();
      if (threadIdx.x % 32 == 0) {
        ptx::mbarrier_arrive(pong);
      }
    }
  }
  if (threadIdx.x == 0) {
    samples[blockIdx.x] = watch.stop(2ull * rounds);
  }
}

}  // namespace tilecast
