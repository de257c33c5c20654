// Key: machine.start_cluster (the barrier before the first multicast and after the last).
//
// Method: all CTAs of a cluster arrive and wait again and again.
//
// Excludes: work between; clusters beyond the portable size.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/cluster.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(128)
    tilecast_cluster_barrier(u32 turns, TimedSample* samples) {
  ptx::cluster_arrive();
  ptx::cluster_wait();
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
  if (threadIdx.x == 0) {
    samples[blockIdx.x] = watch.stop(turns);
  }
}

}  // namespace tilecast
