// Key: reduction.sm_store, reduction.sm_add, reduction.sm_load, reduction.chip_store,
// reduction.chip_add: cost of partial sums that warpgroups exchange through L2.
//
// Method: each thread of a warpgroup moves `kFours` groups of four fp32 at once, as a GEMM does
// with its accumulators: kMove 0 stores, 1 adds, 2 loads them in batches of kAtOnce. The source
// that includes this one defines both.
// There are two samples per CTA: until the last instruction was issued, and until a fence by every
// thread shows that all are complete. All warpgroups of a CTA move separate groups at the same
// time.
//
// Excludes: use of the sums; waiting for another SM (flag_hop).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/global_sync.cuh"

namespace tilecast {

constexpr int kFours = 32;

extern "C" __global__ void __launch_bounds__(256)
    tilecast_partial_sums(float* memory, u32 turns, TimedSample* samples) {
  float4 v[kFours];
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    v[i] = {0, static_cast<float>(i), 0, static_cast<float>(threadIdx.x)};
  }
  const u32 warpgroup = blockIdx.x * (blockDim.x / 128) + threadIdx.x / 128;
  float* mine = memory + (static_cast<u64>(warpgroup) * kFours * 128 + threadIdx.x % 128) * 4;
  TimedSample issued{0, 0, 0, ptx::smid(), 1}, done = issued;
  for (u32 turn = 0; turn <= turns; ++turn) {
    __syncthreads();
    const Stopwatch watch = Stopwatch::start();
    if constexpr (kMove == 2) {
#pragma unroll
      for (int first = 0; first < kFours; first += kAtOnce) {
        float4 loaded[kAtOnce];
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          loaded[i] = ptx::load_four(mine + (first + i) * 512);
        }
#pragma unroll
        for (int i = 0; i < kAtOnce; ++i) {
          v[first + i].x += loaded[i].x;
          v[first + i].y += loaded[i].y;
          v[first + i].z += loaded[i].z;
          v[first + i].w += loaded[i].w;
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < kFours; ++i) {
        if constexpr (kMove == 1) {
          ptx::add_four(mine + i * 512, v[i]);
        } else {
          ptx::store_four(mine + i * 512, v[i]);
        }
      }
    }
    const TimedSample at_issue = watch.stop(1);
    __syncthreads();
    if (threadIdx.x == 0 && kMove != 2) {
      __threadfence();
    }
    __syncthreads();
    const TimedSample at_end = watch.stop(1);
    if (turn > 0) {
      issued.add(at_issue);
      done.add(at_end);
    }
  }
#pragma unroll
  for (int i = 0; i < kFours; ++i) {
    if (v[i].x == -1) {  // never true: keeps the loads
      ptx::store_four(mine + i * 512, v[i]);
    }
  }
  if (threadIdx.x == 0) {
    samples[blockIdx.x * 2] = issued;
    samples[blockIdx.x * 2 + 1] = done;
  }
}

}  // namespace tilecast
