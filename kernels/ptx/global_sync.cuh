// Synchronization of CTAs through words in global memory, and additions in L2.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

__device__ inline u32 load_acquire(const u32* word) {
  u32 value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
  return value;
}

__device__ inline void add_release(u32* word, u32 value) {
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(word), "r"(value) : "memory");
}

/// Adds and returns the previous value.
__device__ inline u32 fetch_add_acq_rel(u32* word, u32 value) {
  u32 before;
  asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(word), "r"(value)
               : "memory");
  return before;
}

/// Adds one element in L2.
__device__ inline void add_one(float* to, float v) {
  asm volatile("red.relaxed.gpu.global.add.f32 [%0], %1;" ::"l"(to), "f"(v) : "memory");
}

/// Adds four adjacent elements in L2; 16-byte aligned.
__device__ inline void add_four(float* to, const float4& v) {
#if __CUDA_ARCH__ >= 900
  asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x),
               "f"(v.y), "f"(v.z), "f"(v.w)
               : "memory");
#else
  add_one(to, v.x);
  add_one(to + 1, v.y);
  add_one(to + 2, v.z);
  add_one(to + 3, v.w);
#endif
}

/// Loads data written by another SM, bypassing L1, after this thread has synchronized with one that
/// acquired it.
__device__ inline float4 load_four(const float* from) {
  float4 v;
  asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
               : "l"(from)
               : "memory");
  return v;
}

__device__ inline float load_one(const float* from) {
  float v;
  asm volatile("ld.global.L1::no_allocate.f32 %0, [%1];" : "=f"(v) : "l"(from) : "memory");
  return v;
}

__device__ inline void store_four(float* to, const float4& v) {
  asm volatile("st.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(v.x), "f"(v.y), "f"(v.z),
               "f"(v.w)
               : "memory");
}

}  // namespace tilecast::ptx
