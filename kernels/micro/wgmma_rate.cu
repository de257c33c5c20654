// Key: wgmma.flops_per_sm, wgmma.operand_rate, machine.wgmma_least, machine.wgmma_completion,
// power.per_flop_normal, power.per_flop_uniform, power.per_flop_ternary, power.per_flop_zeros.
//
// Method: warpgroups issue wgmmas in groups and leave some groups in flight, set at compile time.
// The slope between a short and a long loop is the time per instruction:
//   one warpgroup, groups of four, one pending   the issue interval
//   groups of one, none pending                  minus the interval: the cost of waiting
//
// Excludes: filling the pipe, the last wait, fences (all in the intercept); reading accumulators;
// loads and barriers of a real K block; mixed shapes.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(128)
    tilecast_wgmma_rate(u32 groups, u32 data, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  fill_operands(dynamic, kOperandsBytes, static_cast<OperandData>(data));
  const u32 a = ptx::shared_address(dynamic);
  const Stopwatch watch = Stopwatch::start();
  wgmma_loop<kGroup, kPending, kAInRegisters>(a, a + kABytes, groups, samples);
  if (threadIdx.x == 0) {
    samples[blockIdx.x] = watch.stop(groups * kGroup);
  }
}

}  // namespace tilecast
