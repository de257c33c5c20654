// Key: cluster.store_turn: what partial sums cost that warpgroups push from their registers into a
// peer's shared memory.
//
// Method: each thread sends kFours groups of four fp32 by st.async, all at once as a GEMM's
// accumulators are, to the next CTA in rank or to all others in turn; whose barrier counts them.
// A turn begins once the cluster has met and ends when as many have come in from other CTAs and the
// CTA has met. The slope between two numbers of groups is a rate, what is left a latency.
//
// Excludes: reading what has come in; telling a peer that it may send.
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/store_async.cuh"

namespace tilecast {

constexpr u32 kCluster = TILECAST_CLUSTER;
constexpr int kFours = TILECAST_FOURS;

extern "C" __global__ void __launch_bounds__(256)
    tilecast_dsmem_store(u32 turns, u32 all_peers, u32* counter, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 word;
  const u32 barrier = ptx::shared_address(&word);
  const u32 to = ptx::shared_address(dynamic) + threadIdx.x * 16;
  const u32 rank = ptx::cluster_cta_rank();
  const u32 bytes = blockDim.x * kFours * 16;
  float4 v[kFours];
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    v[i] = {0, static_cast<float>(i), 0, static_cast<float>(threadIdx.x)};
  }
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init();
    ptx::mbarrier_arrive_expect_tx(barrier, bytes);
  }
  __syncthreads();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  bool together = true;
  if (threadIdx.x == 0) {
    together = wait_for_grid(counter);
  }
  TimedSample sum{0, 0, 0, ptx::smid(), 1};
  for (u32 turn = 0; turn <= turns; ++turn) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
    const Stopwatch watch = Stopwatch::start();
#pragma unroll
    for (int i = 0; i < kFours; ++i) {
      const u32 distance = all_peers != 0 ? 1 + static_cast<u32>(i) % (kCluster - 1) : 1;
      const u32 peer = (rank + distance) % kCluster;
      ptx::store_async_four(to + static_cast<u32>(i) * blockDim.x * 16, v[i], barrier, peer);
    }
    if (threadIdx.x == 0) {
      ptx::mbarrier_wait_or_trap(barrier, turn & 1);
      ptx::mbarrier_arrive_expect_tx(barrier, turn < turns ? bytes : 0);
    }
    __syncthreads();
    if (turn > 0) {
      sum.add(watch.stop(1));
    }
  }
  if (threadIdx.x == 0 && together) {
    samples[blockIdx.x] = sum;
  }
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

}  // namespace tilecast
