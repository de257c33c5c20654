// Key: reduction.hop (of a turnstile between CTAs of different SMs, through global memory).
// Method: two CTAs in turn release a count that the other acquires; half a round trip is one hop.
// Both must run at once: the grid has two CTAs. Waiting ends after kPatience polls in any case.
// Excludes: the payload whose visibility the flag announces.
#include "kernels/micro/stopwatch.cuh"

namespace tilecast {

constexpr u32 kPatience = 1u << 20;

__device__ __forceinline__ u32 load_acquire(const u32* flag) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
  return value;
}
__device__ __forceinline__ void add_release(u32* flag) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag) : "memory");
}

/// flags: two words, zero at launch, on lines of their own.
extern "C" __global__ void __launch_bounds__(32)
    tilecast_flag_hop(u32* flags, u32 rounds, TimedSample* samples) {
  constexpr u32 kApart = 64;  // words
  if (threadIdx.x != 0 || blockIdx.x > 1) {
    return;
  }
  u32* mine = flags + blockIdx.x * kApart;
  u32* other = flags + (1 - blockIdx.x) * kApart;
  const auto wait = [mine](u32 count) {
    for (u32 poll = 0; poll < kPatience && load_acquire(mine) < count; ++poll) {
    }
  };
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 1; i <= rounds; ++i) {
    if (blockIdx.x == 0) {
      add_release(other);
      wait(i);
    } else {
      wait(i);
      add_release(other);
    }
  }
  samples[blockIdx.x] = watch.stop(2ull * rounds);
}

}  // namespace tilecast
