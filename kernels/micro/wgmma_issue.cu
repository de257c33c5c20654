// Key: machine.wgmma_issue, machine.mma_issue, machine.mma_queue, machine.turn (time of a warpgroup
// to issue a K block).
//
// Method: with an empty pipe, a warpgroup repeatedly issues one commit group of kGroup
// instructions and waits for it. There are three samples of the first warp: from the fence until
// after the commit, from the fence until after the wait, and an empty region.
//
// Excludes: instructions that queue behind another group (see wgmma_rate.cu), barriers.
#include "kernels/micro/wgmma_loop.cuh"

namespace tilecast {

/// `rounds` is at least 1.
extern "C" __global__ void __launch_bounds__(128)
    tilecast_wgmma_issue(u32 rounds, u32 data, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  fill_operands(dynamic, kOperandsBytes, static_cast<OperandData>(data));
  const u32 address = ptx::shared_address(dynamic);
  const auto operands = WgmmaOperands<kAInRegisters>::of(address, address + kABytes);
  float d[kWgmmaN / 2] = {};
  TimedSample issued{0, 0, 0, ptx::smid(), 1}, done = issued, empty = issued;
  for (u32 round = 0; round <= rounds; ++round) {  // the first round fetches the instructions
    __syncthreads();
    const Stopwatch watch = Stopwatch::start();
    issue_group<kGroup>(operands, d);
    const TimedSample at_issue = watch.stop(1);
    ptx::wgmma_wait<0>();
    const TimedSample at_end = watch.stop(1);
    const Stopwatch idle = Stopwatch::start();
    const TimedSample nothing = idle.stop(1);
    if (round > 0) {
      issued.add(at_issue);
      done.add(at_end);
      empty.add(nothing);
    }
  }
  keep(d, rounds == 0, samples);
  if (threadIdx.x == 0) {
    samples[0] = issued;
    samples[1] = done;
    samples[2] = empty;
  }
}

}  // namespace tilecast
