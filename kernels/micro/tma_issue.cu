// Key: machine.issue, machine.issue_copy; machine.l2_latency (the part to subtract).
//
// Method: one thread issues `count` loads of `bytes` to different addresses in shared memory, all
// counted by one barrier. There are three samples: issue only, until all have arrived, and an empty
// loop with the same number of iterations. With small loads, the slope over `count` is the engine's
// time per instruction; with large loads, its time per byte.
//
// Excludes: waiting for free stages, which a real producer does between loads.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_issue(const char* memory, u32 bytes, u32 count, u32 rounds, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 barrier_word;
  if (!ptx::elect_one()) {
    return;
  }
  const u32 barrier = ptx::shared_address(&barrier_word);
  const u32 buffer = ptx::shared_address(dynamic);
  ptx::mbarrier_init(barrier, 1);
  ptx::fence_mbarrier_init();
  TimedSample issuing{0, 0, 0, ptx::smid(), 1}, whole = issuing, empty = issuing;
  const char* source = memory + static_cast<u64>(blockIdx.x) * bytes * count;
  for (u32 round = 0; round <= rounds; ++round) {  // the first round warms L2
    ptx::mbarrier_arrive_expect_tx(barrier, bytes * count);
    const Stopwatch watch = Stopwatch::start();
    for (u32 i = 0; i < count; ++i) {
      ptx::bulk_load(buffer + i * bytes, source + i * bytes, bytes, barrier);
    }
    const TimedSample issued = watch.stop(count);
    ptx::mbarrier_wait_or_trap(barrier, round & 1);
    const TimedSample landed = watch.stop(count);
    const Stopwatch idle = Stopwatch::start();
    for (u32 i = 0; i < count; ++i) {
      asm volatile("" ::"r"(i) : "memory");
    }
    const TimedSample nothing = idle.stop(count);
    if (round > 0) {
      issuing.add(issued);
      whole.add(landed);
      empty.add(nothing);
    }
  }
  samples[blockIdx.x * 3] = issuing;
  samples[blockIdx.x * 3 + 1] = whole;
  samples[blockIdx.x * 3 + 2] = empty;
}

}  // namespace tilecast
