// mma.sync: the tensor-core instruction of one warp from Ampere on, whose operands and sums are in
// registers. D (16 x 8, fp32) += A (16 rows, 32 bytes of K) B (8 columns, 32 bytes of K).
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

#define TILECAST_MMA_SYNC(shape, type)                                                \
  asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type                \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" \
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                       \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1))

/// Computes D += A B. d: two adjacent elements in row lane / 4, then two in the row eight below.
/// fp8 requires sm_89.
template <ElementType kType>
__device__ __forceinline__ void mma_sync(float* d, const u32 (&a)[4], u32 b0, u32 b1) {
  if constexpr (kType == ElementType::kFp16) {
    TILECAST_MMA_SYNC("m16n8k16", "f16");
  } else if constexpr (kType == ElementType::kBf16) {
    TILECAST_MMA_SYNC("m16n8k16", "bf16");
  } else if constexpr (kType == ElementType::kE4m3) {
    TILECAST_MMA_SYNC("m16n8k32", "e4m3");
  } else {
    static_assert(kType == ElementType::kE5m2, "a type of tensor-core operands");
    TILECAST_MMA_SYNC("m16n8k32", "e5m2");
  }
}

#undef TILECAST_MMA_SYNC

}  // namespace tilecast::ptx
