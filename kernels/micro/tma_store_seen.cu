// Key: machine.kernel, of whose end it is a part: from a bulk store's issue until another SM sees
// the bytes.
//
// Method: two CTAs. The first writes `bytes` of the round's number and, once its own part is timed
// from, releases it to the second: by a flag where `bytes` is 0, by a bulk store otherwise. Each
// lane of the second polls one of 32 words spread over the bytes, the last one among them, until
// all hold the round's number, and answers by a flag that the first polls. The first times the
// round trip by its own clocks; a round trip of a store less half a round trip of flags is the
// store alone. Waiting ends after kPatience polls, and no sample is written then.
//
// Excludes: filling the source and its proxy fence, which lie before the clock is read; DRAM (the
// target stays in L2).
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/global_sync.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"

namespace tilecast {

constexpr u32 kPatience = 1u << 16;
constexpr u32 kLanes = 32;

/// By every lane of a warp; false in all where one waited too long.
__device__ inline bool seen(const u32* word, u32 round) {
  for (u32 poll = 0; poll < kPatience; ++poll) {
    if (__all_sync(0xffffffff, ptx::load_acquire(word) >= round)) {
      return true;
    }
  }
  return false;
}

/// flags: two words, zero at launch, on lines of their own. target: `bytes`, zero at launch, a
/// multiple of 128.
extern "C" __global__ void __launch_bounds__(kLanes)
    tilecast_tma_store_seen(u32* flags, u32* target, u32 bytes, u32 rounds, TimedSample* samples) {
  extern __shared__ __align__(128) u32 source[];
  constexpr u32 kApart = 64;  // words
  const u32 lane = threadIdx.x;
  u32* answer = flags + kApart;
  const u32 words = bytes / 4;
  const u32* watched = bytes == 0 ? flags : target + (lane + 1) * (words / kLanes) - 1;
  TimedSample sum{0, 0, 0, ptx::smid(), 1};
  constexpr u32 kWarmUp = 8;
  for (u32 round = 1; round <= rounds + kWarmUp; ++round) {
    if (blockIdx.x == 1) {
      if (!seen(watched, round)) {
        return;
      }
      if (lane == 0) {
        ptx::add_release(answer, 1);
      }
      continue;
    }
    for (u32 i = lane; i < words; i += kLanes) {
      source[i] = round;
    }
    ptx::fence_proxy_async();
    __syncwarp();
    const Stopwatch watch = Stopwatch::start();
    if (lane == 0) {
      if (bytes == 0) {
        ptx::add_release(flags, 1);
      } else {
        ptx::bulk_store(target, ptx::shared_address(source), bytes);
        ptx::tma_store_commit();
      }
    }
    __syncwarp();
    if (!seen(answer, round)) {
      return;
    }
    if (round > kWarmUp) {
      sum.add(watch.stop(1));
    }
    if (lane == 0) {
      ptx::bulk_wait<0>();
    }
    __syncwarp();
  }
  if (lane == 0) {
    sum.valid = 1;
    samples[blockIdx.x] = sum;
  }
}

}  // namespace tilecast
