// Key: wgmma.flops_per_sm, for two and three warpgroups of one SM.
// Method: the warpgroups run the loop of wgmma_interval.cu (or of wgmma_drain.cu) at the same time,
// each timed by itself; with the pipe full each takes as many times the interval as there are
// warpgroups, and with drains the others fill the bubbles.
// Excludes: fills of shared memory, different shapes on the two warpgroups.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(TILECAST_WARPGROUPS * 128)
    tilecast_wgmma_shared_pipe(u32 groups, u32 random, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  fill_operands(dynamic, kOperandsBytes, random != 0);
  const u32 a = ptx::shared_address(dynamic);
  const Stopwatch watch = Stopwatch::start();
  wgmma_loop<TILECAST_GROUP, TILECAST_PENDING, TILECAST_ACCUMULATORS, TILECAST_A_IN_REGISTERS != 0>(
      a, a + kABytes, groups, samples);
  if (threadIdx.x % kWarpgroupThreads == 0) {
    samples[blockIdx.x * TILECAST_WARPGROUPS + threadIdx.x / kWarpgroupThreads] =
        watch.stop(groups * TILECAST_GROUP);
  }
}

}  // namespace tilecast
