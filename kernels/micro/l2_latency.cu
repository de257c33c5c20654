// Key: machine.l2_latency, of which it is the near and far part; which SM is near to which line.
//
// Method: one thread of each SM reads `lines` places, `stride` bytes apart, several times each past
// L1, and keeps the fastest clock64 difference of every place; the first read brings the line to
// L2. The host parts each SM's latencies in two groups. One more sample per SM times all its reads
// together, by both clocks.
//
// Excludes: the clock reads and the store that awaits the value, timed alone and subtracted.
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/volatile_access.cuh"

namespace tilecast {

/// Instructions issue in order, so the clock is read after the store has got its value.
__device__ __forceinline__ u64 clock_after(u32 value, u32 sink) {
  ptx::store_shared_volatile(sink, value);
  return ptx::clock64_now();
}

/// latencies[smid * lines + line]; one CTA per SM, SMs numbered without gaps.
extern "C" __global__ void __launch_bounds__(32)
    tilecast_l2_latency(const u32* memory, u64 stride, u32 lines, u32 repeats, u32* latencies,
                        u32* counter, TimedSample* samples) {
  __shared__ u32 word;
  if (threadIdx.x != 0) {
    return;
  }
  const u32 sink = ptx::shared_address(&word);
  const u32 sm = ptx::smid();
  u32 overhead = ~0u;
  for (u32 i = 0; i < repeats + 4; ++i) {
    const u64 before = ptx::clock64_now();
    overhead = min(overhead, static_cast<u32>(clock_after(i, sink) - before));
  }
  for (u32 line = 0; line < lines; ++line) {
    clock_after(ptx::load_volatile(memory + line * stride / 4), sink);
  }
  if (!wait_for_grid(counter)) {
    return;
  }
  const Stopwatch watch = Stopwatch::start();
  for (u32 line = 0; line < lines; ++line) {
    const u32* place = memory + line * stride / 4;
    u32 fastest = ~0u;
    for (u32 repeat = 0; repeat < repeats; ++repeat) {
      const u64 before = ptx::clock64_now();
      fastest =
          min(fastest, static_cast<u32>(clock_after(ptx::load_volatile(place), sink) - before));
    }
    if (sm < gridDim.x) {
      latencies[sm * lines + line] = fastest - overhead;
    }
  }
  samples[blockIdx.x] = watch.stop(static_cast<u64>(lines) * repeats);
}

}  // namespace tilecast
