// Loads and stores that are done each time they are written, in order: what a kernel that times
// them needs. In global memory they go past L1.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

__device__ __forceinline__ u32 load_volatile(const u32* address) {
  u32 value;
  asm volatile("ld.volatile.global.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

/// Where the address differs each time; the assembler merges such loads from one place.
__device__ __forceinline__ u32 load_past_l1(const void* address) {
  u32 value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
}

__device__ __forceinline__ u64 load_volatile_64(const void* address) {
  u64 value;
  asm volatile("ld.volatile.global.u64 %0, [%1];" : "=l"(value) : "l"(address) : "memory");
  return value;
}

/// 16 bytes, all bits joined by exclusive or.
__device__ __forceinline__ u32 load_volatile_folded(const void* address) {
  u32 x, y, z, w;
  asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "l"(address)
               : "memory");
  return x ^ y ^ z ^ w;
}

__device__ __forceinline__ u32 load_shared_volatile(u32 address) {
  u32 value;
  asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(address) : "memory");
  return value;
}

__device__ __forceinline__ u32 load_shared_volatile_folded(u32 address) {
  u32 x, y, z, w;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "r"(address)
               : "memory");
  return x ^ y ^ z ^ w;
}

__device__ __forceinline__ void store_shared_volatile(u32 address, u32 value) {
  asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(address), "r"(value) : "memory");
}

}  // namespace tilecast::ptx
