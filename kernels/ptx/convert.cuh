// Conversions between fp32 and 16-bit and 8-bit element types, represented by their bits.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

/// Rounds to nearest even.
__device__ __forceinline__ unsigned short bits_of(float value, ElementType type) {
  unsigned short bits;
  if (type == ElementType::kFp16) {
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  } else {
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  }
  return bits;
}

__device__ __forceinline__ float value_of_bits(unsigned short bits, ElementType type) {
  float value;
  if (type == ElementType::kFp16) {
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  } else {
    const u32 wide = static_cast<u32>(bits) << 16;  // bf16 is the upper half of fp32
    asm("mov.b32 %0, %1;" : "=f"(value) : "r"(wide));
  }
  return value;
}

// fp8 requires sm_89: Ampere has no conversions of it.

/// Converts two adjacent elements, with `low` in the low byte; rounds to nearest even and
/// saturates.
__device__ __forceinline__ unsigned short fp8_pair_of(float low, float high, ElementType type) {
  unsigned short pair = 0;
#if __CUDA_ARCH__ >= 890
  if (type == ElementType::kE4m3) {
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(high), "f"(low));
  }
#else
  __trap();
#endif
  return pair;
}

/// Converts two adjacent fp8 elements to fp16, which represents every value of either fp8 type.
__device__ __forceinline__ u32 fp16_pair_of(unsigned short fp8_pair, ElementType type) {
  u32 pair = 0;
#if __CUDA_ARCH__ >= 890
  if (type == ElementType::kE4m3) {
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(pair) : "h"(fp8_pair));
  } else {
    asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(pair) : "h"(fp8_pair));
  }
#else
  __trap();
#endif
  return pair;
}

}  // namespace tilecast::ptx
