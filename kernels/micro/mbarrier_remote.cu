// Key: machine.remote_wake (the remote arrival that frees a shared stage).
//
// Method: the two CTAs of a cluster alternately arrive at the other's barrier and wait at their
// own; half a round trip is the time from remote arrival to wake-up.
//
// Excludes: clusters of more than two CTAs.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/cluster.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_mbarrier_remote(u32 rounds, TimedSample* samples) {
  __shared__ __align__(8) u64 word;
  const u32 barrier = ptx::shared_address(&word);
  const u32 rank = ptx::cluster_cta_rank();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (threadIdx.x == 0) {
    const Stopwatch watch = Stopwatch::start();
    for (u32 i = 0; i < rounds; ++i) {
      if (rank == 0) {
        ptx::mbarrier_arrive_remote(barrier, 1);
        ptx::mbarrier_wait_or_trap(barrier, i & 1);
      } else {
        ptx::mbarrier_wait_or_trap(barrier, i & 1);
        ptx::mbarrier_arrive_remote(barrier, 0);
      }
    }
    samples[blockIdx.x] = watch.stop(2ull * rounds);
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

}  // namespace tilecast
