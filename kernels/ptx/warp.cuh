// Warps and warpgroups: named barriers, register reallocation, matrix stores, 16-bit packing.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

/// Returns true in one lane of a converged warp, always the same lane. The compiler then knows that
/// a single thread continues, and issues bulk copies without a loop over lanes; it does not know
/// that from `threadIdx.x == 0`.
__device__ inline bool elect_one() {
  u32 elected;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "elect.sync _|p, 0xffffffff;\n"
      "selp.u32 %0, 1, 0, p;\n"
      "}"
      : "=r"(elected));
  return elected != 0;
}

/// This thread's warp index in the CTA, known to the compiler to be warp-uniform.
__device__ inline i32 uniform_warp_index() {
  return __shfl_sync(0xffffffff, static_cast<i32>(threadIdx.x) / 32, 0);
}

/// Synchronizes `threads` threads at barrier `id` (1 to 15; 0 is __syncthreads).
__device__ inline void named_barrier_sync(u32 id, u32 threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Arrives at the barrier without waiting.
__device__ inline void named_barrier_arrive(u32 id, u32 threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Hides from the compiler how `value` was computed, so that it does not keep anything derived from
/// it.
__device__ inline void forget_origin(i32& value) { asm volatile("" : "+r"(value)); }

template <int kRegisters>
__device__ inline void setmaxnreg_inc() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

template <int kRegisters>
__device__ inline void setmaxnreg_dec() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kRegisters));
}

/// Stores four 8x8 matrices of 16-bit elements; lane l gives the address of row l % 8 of matrix l /
/// 8. kTransposed: the registers hold the transposed matrices.
template <bool kTransposed = false>
__device__ inline void stmatrix_x4(u32 address, u32 r0, u32 r1, u32 r2, u32 r3) {
  if constexpr (kTransposed) {
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
        "r"(r0), "r"(r1), "r"(r2), "r"(r3)
        : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address),
                 "r"(r0), "r"(r1), "r"(r2), "r"(r3)
                 : "memory");
  }
}

/// Stores two matrices: sixteen rows of eight columns, at the addresses of the first sixteen lanes.
template <bool kTransposed = false>
__device__ inline void stmatrix_x2(u32 address, u32 r0, u32 r1) {
  if constexpr (kTransposed) {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(address),
                 "r"(r0), "r"(r1)
                 : "memory");
  } else {
    asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(address), "r"(r0),
                 "r"(r1)
                 : "memory");
  }
}

/// Loads what stmatrix_x4 stores, with the same addresses.
template <bool kTransposed = false>
__device__ inline void ldmatrix_x4(u32 address, u32 (&r)[4]) {
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
  }
}

/// Rounds two fp32 values to 16 bits and packs them, with `low` in the low half; kRelu: clamps
/// negative values to 0 and propagates NaN.
template <ElementType kType, bool kRelu = false>
__device__ inline u32 pack_16bit(float low, float high) {
  u32 packed;
  static_assert(kType == ElementType::kFp16 || kType == ElementType::kBf16, "C is fp16 or bf16");
  if constexpr (kType == ElementType::kFp16 && kRelu) {
    asm("cvt.rn.relu.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else if constexpr (kType == ElementType::kFp16) {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else if constexpr (kRelu) {
    asm("cvt.rn.relu.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
  }
  return packed;
}

__device__ inline u32 load_shared_u32(u32 address) {
  u32 value;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(value) : "r"(address));
  return value;
}

}  // namespace tilecast::ptx
