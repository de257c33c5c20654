// Key: reduction.hop (between CTAs of different SMs, through global memory, as in a turnstile
// reduction).
//
// Method: two CTAs alternately release a count that the other acquires; half a round trip is one
// hop. Both must be resident: the grid has two CTAs. A CTA gives up after kPatience polls and does
// not write its sample.
//
// Excludes: the payload that the flag makes visible.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/global_sync.cuh"

namespace tilecast {

constexpr u32 kPatience = 1u << 20;

/// flags: two words on separate lines, zero at launch.
extern "C" __global__ void __launch_bounds__(32)
    tilecast_flag_hop(u32* flags, u32 rounds, TimedSample* samples) {
  constexpr u32 kApart = 64;  // distance of the flags, in words
  if (threadIdx.x != 0 || blockIdx.x > 1) {
    return;
  }
  u32* mine = flags + blockIdx.x * kApart;
  u32* other = flags + (1 - blockIdx.x) * kApart;
  const auto arrived = [mine](u32 count) {
    for (u32 poll = 0; poll < kPatience; ++poll) {
      if (ptx::load_acquire(mine) >= count) {
        return true;
      }
    }
    return false;
  };
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 1; i <= rounds; ++i) {
    if (blockIdx.x == 0) {
      ptx::add_release(other, 1);
    }
    if (!arrived(i)) {
      return;
    }
    if (blockIdx.x == 1) {
      ptx::add_release(other, 1);
    }
  }
  samples[blockIdx.x] = watch.stop(2ull * rounds);
}

}  // namespace tilecast
