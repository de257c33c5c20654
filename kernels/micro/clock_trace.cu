// Key: clock.max, clock.tensor_plateau, clock.limiter, power.burst_limit (the three limiters of the
// clock).
//
// Method: all CTAs except the last run wgmma m64n256k16 from shared memory for `length`
// nanoseconds, and are busy for `busy` of every `period`. The last CTA reads both clocks every
// `every` nanoseconds, so neighbouring readings give the SM clock over time. That is the clock of
// the sampler's GPC: the clocks of GPCs differ by about 1 % (machine.gpc_clock_spread), which a
// trace of one SM does not show. Busy CTAs read the clock every `groups` groups of four wgmmas;
// eight groups take about 2 us.
//
// Excludes: L2 and DRAM traffic; the clock of an idle SM (the sampler is not idle).
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

struct ClockReading {
  u64 cycles, nanoseconds;
};

extern "C" __global__ void __launch_bounds__(128)
    tilecast_clock_trace(u64 length, u64 busy, u64 period, u32 loaded, u32 data, u64 every,
                         u32 readings, u32 groups, ClockReading* trace) {
  extern __shared__ __align__(1024) char dynamic[];
  fill_operands(dynamic, kOperandsBytes, static_cast<OperandData>(data));
  const u64 begin = ptx::globaltimer();
  if (blockIdx.x == gridDim.x - 1) {
    if (threadIdx.x == 0) {
      for (u32 i = 0; i < readings; ++i) {
        while (ptx::globaltimer() - begin < i * every) {
        }
        const u64 now = ptx::globaltimer();
        trace[i] = {ptx::clock64_now(), now};
      }
    }
    return;
  }
  if (blockIdx.x >= loaded) {
    return;
  }
  const u32 a = ptx::shared_address(dynamic);
  for (;;) {
    // One thread reads the clock and broadcasts it, because all threads must agree on whether to go
    // on.
    const u64 now = __shfl_sync(0xffffffff, ptx::globaltimer(), 0) - begin;
    const int over = __syncthreads_or(now >= length ? 1 : 0);
    if (over != 0) {
      break;
    }
    const int rest = __syncthreads_or(now % period >= busy ? 1 : 0);
    if (rest == 0) {
      wgmma_loop<4, 1, false>(a, a + kABytes, groups, trace);
    }
  }
}

}  // namespace tilecast
