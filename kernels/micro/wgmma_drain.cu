// Key: wgmma.block_turn (the bubble in it).
// Method: groups of four wgmmas, a K block of 64, each waited for before the next is issued; the
// slope per group less four intervals is the bubble that draining the pipe leaves in every K block.
// Excludes: loads and barriers, which a real K block also has.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(TILECAST_WARPGROUPS * 128)
    tilecast_wgmma_drain(u32 groups, u32 random, TimedSample* samples) {
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
