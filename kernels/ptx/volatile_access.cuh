// Loads and stores that are executed each time and in order, for kernels that time them. In global
// memory they bypass L1.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// Loads from an address that differs each time, because the assembler merges such loads from the
/// same address.
__device__ __forceinline__ u32 load_past_l1(const void* address) {
  u32 value;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(address) : "memory");
  return value;
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

}  // namespace tilecast::ptx
