// Key: stream.load_latency (a plain load from DRAM; also one that hits L2), by both clocks.
//
// Method: one thread follows a chain of loads. A counter hash draws the line of each load from
// `span` bytes, a power of two, while the previous load is in flight. The address depends on that
// load's value, which is zero in zeroed memory. A small span, walked once before, stays in L2. A
// large one rarely repeats a line and, above some size, also misses in the TLBs.
//
// Excludes: parallel loads (none); L1 (bypassed). Includes: adding the value to the address.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/volatile_access.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_load_latency(const char* memory, u64 span, u32 seed, u32 loads, u32 passes,
                          TimedSample* samples) {
  if (threadIdx.x != 0) {
    return;
  }
  constexpr u32 kLine = 128;
  const u32 last_line = static_cast<u32>(span / kLine) - 1;
  const auto draw = [&](u32 i) {
    u32 x = (i + seed * 0x9e3779b9u) * 0x85ebca6bu;
    x = (x ^ x >> 15) * 0xc2b2ae35u;
    return memory + static_cast<u64>((x ^ x >> 13) & last_line) * kLine;
  };
  u32 value = 0;
  for (u32 pass = 0; pass < passes; ++pass) {
    const char* place = draw(0);
    const Stopwatch watch = Stopwatch::start();
    for (u32 i = 0; i < loads; ++i) {
      value = ptx::load_past_l1(place + value);
      place = draw(i + 1);
      asm volatile("" : "+l"(place));  // computed before the value arrives, which is added last
    }
    if (value == 0) {  // always true: keeps the last load
      samples[pass] = watch.stop(loads);
    }
  }
}

}  // namespace tilecast
