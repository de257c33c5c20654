// Conversions between fp32 and the 16-bit element types, held as their bits.
#pragma once

#include "model/base/integers.h"
#include "model/tile/gemm_problem.h"

namespace tilecast::ptx {

/// Round to nearest even.
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

}  // namespace tilecast::ptx
