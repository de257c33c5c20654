// Key: clock.max, and the cycles of every measured row.
//
// Method: reads the SM clock and globaltimer together, one sample per CTA. The grid has one CTA per
// SM, but the hardware chooses the SM of a CTA. So a sample contains smid, and two launches are
// compared on the SMs that both reached.
//
// Excludes: the clock between the two samples, except its mean.
//
// globaltimer advances in steps, so a sample waits for the next step. The pair is then exact to the
// latency of one register read. The wait is bounded; no step of any known chip exceeds the bound.
#include "kernels/micro/clock_sample.h"
#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

constexpr u32 kMaxPolls = 20000;

extern "C" __global__ void __launch_bounds__(32) tilecast_clock_sample(ClockSample* samples) {
  if (threadIdx.x != 0) {
    return;
  }
  const u64 before = ptx::globaltimer();
  u64 now = before;
  for (u32 poll = 0; poll < kMaxPolls && now == before; ++poll) {
    now = ptx::globaltimer();
  }
  const u64 cycles = ptx::clock64_now();
  samples[blockIdx.x] = {.cycles = cycles, .nanoseconds = now, .smid = ptx::smid(), .valid = 1};
}

}  // namespace tilecast
