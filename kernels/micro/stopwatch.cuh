// Times a region of one thread with clock64 and globaltimer.
#pragma once

#include "kernels/micro/timed_sample.h"
#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

struct Stopwatch {
  u64 cycles, nanoseconds;

  __device__ __forceinline__ static Stopwatch start() {
    const u64 now = ptx::globaltimer();
    return {ptx::clock64_now(), now};
  }
  __device__ __forceinline__ TimedSample stop(u64 amount) const {
    const u64 now = ptx::clock64_now();
    return {now - cycles, ptx::globaltimer() - nanoseconds, amount, ptx::smid(), 1};
  }
};

}  // namespace tilecast
