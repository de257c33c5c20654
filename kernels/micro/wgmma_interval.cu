// Key: wgmma.flops_per_sm, wgmma.operand_rate, wgmma.issue_overhead.
// Method: one warpgroup keeps groups of four wgmmas in flight and waits for the one before the
// last; the slope between a short and a long loop is the interval from one instruction to the next.
// Excludes: filling the pipe, the last wait, fences (all in the intercept); other warps.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(TILECAST_WARPGROUPS * 128)
    tilecast_wgmma_interval(u32 groups, u32 random, TimedSample* samples) {
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
