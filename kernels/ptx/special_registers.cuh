// Special registers: thread index, SM, and the clocks that a kernel can read.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// %smid: the current SM; constant for a CTA that is never preempted.
__device__ __forceinline__ u32 smid() {
  u32 id;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
  return id;
}

/// %tid.x, read again at each use, so that the compiler does not keep values derived from it in
/// registers across loop iterations.
__device__ __forceinline__ u32 thread_index() {
  u32 thread;
  asm volatile("mov.u32 %0, %%tid.x;" : "=r"(thread));
  return thread;
}

/// %clock64: cycles of this SM's clock.
__device__ __forceinline__ u64 clock64_now() {
  u64 cycles;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
  return cycles;
}

/// %globaltimer: nanoseconds, in steps of 32 ns to about 1 us, depending on driver and chip.
__device__ __forceinline__ u64 globaltimer() {
  u64 nanoseconds;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds)::"memory");
  return nanoseconds;
}

}  // namespace tilecast::ptx
