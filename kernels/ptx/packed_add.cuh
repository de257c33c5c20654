// Adds the elements of 32-bit words: one fp32, or two 16-bit elements, rounded to nearest even.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

template <ElementType kType>
__device__ __forceinline__ u32 packed_add(u32 a, u32 b) {
  u32 sum;
  if constexpr (kType == ElementType::kFp32) {
    asm("add.rn.f32 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  } else if constexpr (kType == ElementType::kFp16) {
    asm("add.rn.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
  } else {
#if __CUDA_ARCH__ >= 900
    asm("add.rn.bf16x2 %0, %1, %2;" : "=r"(sum) : "r"(a), "r"(b));
#else  // 1 * a + b, rounded once
    constexpr u32 kOnes = 0x3f803f80;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(sum) : "r"(a), "r"(kOnes), "r"(b));
#endif
  }
  return sum;
}

}  // namespace tilecast::ptx
