// Key: wgmma.completion_latency.
// Method: every wgmma is committed and waited for before the next; the slope less the interval of
// wgmma_interval.cu is what waiting adds to one instruction.
// Excludes: reading the accumulators afterwards; other warps that could fill the gap.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(TILECAST_WARPGROUPS * 128)
    tilecast_wgmma_completion(u32 groups, u32 random, TimedSample* samples) {
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
