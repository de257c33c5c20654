// Key: machine.l2_latency, machine.dram_latency, machine.request, machine.intake,
// stream.bulk_latency, stream.bulk_rate.
//
// Method: one thread repeatedly loads `bytes` and waits; the time per load is the latency from
// issue until the waiting thread sees the barrier complete. Loads are `stride` bytes apart. A small
// region, read before, is in L2, with lines of both partitions. No line of a large region is read
// twice, so every load goes to DRAM.
//
// Excludes: waiting for other loads; the descriptor (the first use of a tensor map costs more).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_latency(const char* memory, u64 region, u64 start, u64 stride, u32 bytes,
                         u32 loads, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 barrier_word;
  if (!ptx::elect_one()) {
    return;
  }
  const u32 barrier = ptx::shared_address(&barrier_word);
  const u32 buffer = ptx::shared_address(dynamic);
  ptx::mbarrier_init(barrier, 1);
  ptx::fence_mbarrier_init();
  u64 offset = start;
  u32 phase = 0;
  const auto load = [&] {
    ptx::mbarrier_arrive_expect_tx(barrier, bytes);
    ptx::bulk_load(buffer, memory + offset, bytes, barrier);
    ptx::mbarrier_wait_or_trap(barrier, phase);
    phase ^= 1;
    offset += stride;
    offset = offset + bytes > region ? offset % stride : offset;
  };
  constexpr u32 kWarmUp = 4;
  for (u32 i = 0; i < kWarmUp; ++i) {
    load();
  }
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < loads; ++i) {
    load();
  }
  samples[blockIdx.x] = watch.stop(loads);
}

}  // namespace tilecast
