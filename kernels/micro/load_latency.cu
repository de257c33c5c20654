// Key: stream.load_latency (a plain load that goes to DRAM; also one that hits L2), by both clocks.
// Method: one thread follows a chain: the place of each load is drawn by a counter hash within
// `span` bytes and held up by the value of the load before, which is zero in zeroed memory. A small
// span, walked once before, stays in L2; a large one hardly ever meets a line twice, and past some
// size also misses in the TLBs.
// Excludes: parallel loads (none); L1 (loads go past it).
#include "kernels/micro/stopwatch.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(32)
    tilecast_load_latency(const u32* memory, u64 span, u32 seed, u32 loads, u32 passes,
                          TimedSample* samples) {
  if (threadIdx.x != 0) {
    return;
  }
  constexpr u64 kLine = 128;
  const u64 lines = span / kLine;
  u32 value = 0;
  for (u32 pass = 0; pass < passes; ++pass) {
    const Stopwatch watch = Stopwatch::start();
    for (u32 i = 0; i < loads; ++i) {
      u64 x = (static_cast<u64>(seed) << 32 | i) * 0x9e3779b97f4a7c15ull;
      x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9ull;
      const u64 line = (x >> 20) % lines;
      const u32* place = memory + line * (kLine / 4) + (value & 1);
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(place) : "memory");
    }
    if (value == 0) {  // always: the last load has to be there
      samples[pass] = watch.stop(loads);
    }
  }
}

}  // namespace tilecast
