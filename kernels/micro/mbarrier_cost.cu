// Key: machine.turn and machine.own_load (the barrier operations in them).
//
// Method: one thread repeats, each in a region of its own: arrive; a try_wait on a phase that is
// over; arrive, then wait for the flip that it causes; arrive with an announcement of bytes. Four
// samples. Arrivals that must not flip go to a barrier that counts to its most.
//
// Excludes: other threads, the loop's own instructions (one or two per turn).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_mbarrier_cost(u32 turns, TimedSample* samples) {
  constexpr u32 kMostArrivals = (1u << 20) - 1;
  __shared__ __align__(8) u64 words[2];
  if (threadIdx.x != 0) {
    return;
  }
  const u32 counting = ptx::shared_address(&words[0]), flipping = ptx::shared_address(&words[1]);
  ptx::mbarrier_init(counting, kMostArrivals);
  ptx::mbarrier_init(flipping, 1);
  ptx::fence_mbarrier_init();
  TimedSample* mine = samples + blockIdx.x * 4;

  Stopwatch watch = Stopwatch::start();
#pragma unroll 8
  for (u32 i = 0; i < turns; ++i) {
    ptx::mbarrier_arrive(counting);
  }
  mine[0] = watch.stop(turns);

  u32 passed = 0;
  watch = Stopwatch::start();
#pragma unroll 8
  for (u32 i = 0; i < turns; ++i) {
    passed += ptx::mbarrier_try_wait(counting, 1) ? 1 : 0;  // the phase before the first is over
  }
  mine[1] = watch.stop(passed);

  watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
    ptx::mbarrier_arrive(flipping);
    ptx::mbarrier_wait_or_trap(flipping, i & 1);
  }
  mine[2] = watch.stop(turns);

  watch = Stopwatch::start();
#pragma unroll 8
  for (u32 i = 0; i < turns; ++i) {
    ptx::mbarrier_arrive_expect_tx(counting, 0);
  }
  mine[3] = watch.stop(turns);
}

}  // namespace tilecast
