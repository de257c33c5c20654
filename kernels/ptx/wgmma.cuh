// wgmma: asynchronous matrix multiply-accumulate of one warpgroup, m64nNk16, with 16-bit operands
// and fp32 accumulators in registers; B from shared memory, A from shared memory or registers. N is
// a multiple of 8 up to 256. With 8-bit operands: m64nNk32.
//
// PTX names every accumulator register in the instruction text, so the text depends on N. The
// macros below build "{%0, ..., %(N/2 - 1)}" and the matching operands from groups of eight, with
// four more (_4) for odd multiples of 8.
#pragma once

#include "model/base/integers.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast::ptx {

/// Required before the first wgmma of a batch, and after other code accessed the accumulators.
__device__ inline void wgmma_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ inline void wgmma_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/// Waits until at most kPending committed groups of this warpgroup are incomplete.
template <int kPending>
__device__ inline void wgmma_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kPending) : "memory");
}

/// Prevents the compiler from moving uses of accumulators across a wait.
template <int kCount>
__device__ inline void wgmma_fence_registers(float (&d)[kCount]) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    asm volatile("" : "+f"(d[i])::"memory");
  }
}

/// Matrix descriptor of a swizzled slab. The low bits contain the start address in units of 16
/// bytes, so advancing in shared memory is one 32-bit addition.
struct MatrixDescriptor {
  u32 low, high;

  /// stride: bytes between groups of eight rows; leading: bytes between slabs along the contiguous
  /// dimension (N-major operands only).
  template <i32 kRowBytes>
  __device__ static MatrixDescriptor swizzled(u32 address, u32 leading_bytes, u32 stride_bytes) {
    static_assert(kRowBytes == 128 || kRowBytes == 64, "rows of one whole swizzle span");
    constexpr u32 kSwizzle = (kRowBytes == 128 ? 1u : 2u) << 30;
    constexpr u32 kInCta = 0x3FFFF;  // in a cluster the address also contains the CTA's rank
    return {(address & kInCta) >> 4 | (leading_bytes >> 4) << 16, stride_bytes >> 4 | kSwizzle};
  }
  __device__ MatrixDescriptor moved(u32 bytes) const { return {low + (bytes >> 4), high}; }
  __device__ u64 bits() const { return static_cast<u64>(high) << 32 | low; }
};

#define TILECAST_D4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define TILECAST_D8(i) TILECAST_D4(i), TILECAST_D4(i + 4)
#define TILECAST_TEXT_0 "%0, %1, %2, %3"
#define TILECAST_TEXT_1 TILECAST_TEXT_0 ", %4, %5, %6, %7"
#define TILECAST_TEXT_2 TILECAST_TEXT_1 ", %8, %9, %10, %11, %12, %13, %14, %15"
#define TILECAST_TEXT_3 TILECAST_TEXT_2 ", %16, %17, %18, %19, %20, %21, %22, %23"
#define TILECAST_TEXT_4 TILECAST_TEXT_3 ", %24, %25, %26, %27, %28, %29, %30, %31"
#define TILECAST_TEXT_5 TILECAST_TEXT_4 ", %32, %33, %34, %35, %36, %37, %38, %39"
#define TILECAST_TEXT_6 TILECAST_TEXT_5 ", %40, %41, %42, %43, %44, %45, %46, %47"
#define TILECAST_TEXT_7 TILECAST_TEXT_6 ", %48, %49, %50, %51, %52, %53, %54, %55"
#define TILECAST_TEXT_8 TILECAST_TEXT_7 ", %56, %57, %58, %59, %60, %61, %62, %63"
#define TILECAST_TEXT_9 TILECAST_TEXT_8 ", %64, %65, %66, %67, %68, %69, %70, %71"
#define TILECAST_TEXT_10 TILECAST_TEXT_9 ", %72, %73, %74, %75, %76, %77, %78, %79"
#define TILECAST_TEXT_11 TILECAST_TEXT_10 ", %80, %81, %82, %83, %84, %85, %86, %87"
#define TILECAST_TEXT_12 TILECAST_TEXT_11 ", %88, %89, %90, %91, %92, %93, %94, %95"
#define TILECAST_TEXT_13 TILECAST_TEXT_12 ", %96, %97, %98, %99, %100, %101, %102, %103"
#define TILECAST_TEXT_14 TILECAST_TEXT_13 ", %104, %105, %106, %107, %108, %109, %110, %111"
#define TILECAST_TEXT_15 TILECAST_TEXT_14 ", %112, %113, %114, %115, %116, %117, %118, %119"
#define TILECAST_TEXT_16 TILECAST_TEXT_15 ", %120, %121, %122, %123, %124, %125, %126, %127"
#define TILECAST_TEXT_1_4 TILECAST_TEXT_1 ", %8, %9, %10, %11"
#define TILECAST_TEXT_2_4 TILECAST_TEXT_2 ", %16, %17, %18, %19"
#define TILECAST_TEXT_3_4 TILECAST_TEXT_3 ", %24, %25, %26, %27"
#define TILECAST_TEXT_4_4 TILECAST_TEXT_4 ", %32, %33, %34, %35"
#define TILECAST_TEXT_5_4 TILECAST_TEXT_5 ", %40, %41, %42, %43"
#define TILECAST_TEXT_6_4 TILECAST_TEXT_6 ", %48, %49, %50, %51"
#define TILECAST_TEXT_7_4 TILECAST_TEXT_7 ", %56, %57, %58, %59"
#define TILECAST_TEXT_8_4 TILECAST_TEXT_8 ", %64, %65, %66, %67"
#define TILECAST_TEXT_9_4 TILECAST_TEXT_9 ", %72, %73, %74, %75"
#define TILECAST_TEXT_10_4 TILECAST_TEXT_10 ", %80, %81, %82, %83"
#define TILECAST_TEXT_11_4 TILECAST_TEXT_11 ", %88, %89, %90, %91"
#define TILECAST_TEXT_12_4 TILECAST_TEXT_12 ", %96, %97, %98, %99"
#define TILECAST_TEXT_13_4 TILECAST_TEXT_13 ", %104, %105, %106, %107"
#define TILECAST_TEXT_14_4 TILECAST_TEXT_14 ", %112, %113, %114, %115"
#define TILECAST_TEXT_15_4 TILECAST_TEXT_15 ", %120, %121, %122, %123"
#define TILECAST_OUT_0 TILECAST_D4(0)
#define TILECAST_OUT_1 TILECAST_D8(0)
#define TILECAST_OUT_2 TILECAST_OUT_1, TILECAST_D8(8)
#define TILECAST_OUT_3 TILECAST_OUT_2, TILECAST_D8(16)
#define TILECAST_OUT_4 TILECAST_OUT_3, TILECAST_D8(24)
#define TILECAST_OUT_5 TILECAST_OUT_4, TILECAST_D8(32)
#define TILECAST_OUT_6 TILECAST_OUT_5, TILECAST_D8(40)
#define TILECAST_OUT_7 TILECAST_OUT_6, TILECAST_D8(48)
#define TILECAST_OUT_8 TILECAST_OUT_7, TILECAST_D8(56)
#define TILECAST_OUT_9 TILECAST_OUT_8, TILECAST_D8(64)
#define TILECAST_OUT_10 TILECAST_OUT_9, TILECAST_D8(72)
#define TILECAST_OUT_11 TILECAST_OUT_10, TILECAST_D8(80)
#define TILECAST_OUT_12 TILECAST_OUT_11, TILECAST_D8(88)
#define TILECAST_OUT_13 TILECAST_OUT_12, TILECAST_D8(96)
#define TILECAST_OUT_14 TILECAST_OUT_13, TILECAST_D8(104)
#define TILECAST_OUT_15 TILECAST_OUT_14, TILECAST_D8(112)
#define TILECAST_OUT_16 TILECAST_OUT_15, TILECAST_D8(120)
#define TILECAST_OUT_1_4 TILECAST_OUT_1, TILECAST_D4(8)
#define TILECAST_OUT_2_4 TILECAST_OUT_2, TILECAST_D4(16)
#define TILECAST_OUT_3_4 TILECAST_OUT_3, TILECAST_D4(24)
#define TILECAST_OUT_4_4 TILECAST_OUT_4, TILECAST_D4(32)
#define TILECAST_OUT_5_4 TILECAST_OUT_5, TILECAST_D4(40)
#define TILECAST_OUT_6_4 TILECAST_OUT_6, TILECAST_D4(48)
#define TILECAST_OUT_7_4 TILECAST_OUT_7, TILECAST_D4(56)
#define TILECAST_OUT_8_4 TILECAST_OUT_8, TILECAST_D4(64)
#define TILECAST_OUT_9_4 TILECAST_OUT_9, TILECAST_D4(72)
#define TILECAST_OUT_10_4 TILECAST_OUT_10, TILECAST_D4(80)
#define TILECAST_OUT_11_4 TILECAST_OUT_11, TILECAST_D4(88)
#define TILECAST_OUT_12_4 TILECAST_OUT_12, TILECAST_D4(96)
#define TILECAST_OUT_13_4 TILECAST_OUT_13, TILECAST_D4(104)
#define TILECAST_OUT_14_4 TILECAST_OUT_14, TILECAST_D4(112)
#define TILECAST_OUT_15_4 TILECAST_OUT_15, TILECAST_D4(120)

// One wgmma with A in shared memory. n; its register list (above); the numbers of the operands
// after the n / 2 accumulators: A's descriptor, B's, the predicate. `type`: K and the operand
// types. `major`: transposition flags for 16-bit operands, empty for fp8.
#define TILECAST_WGMMA_SHARED(n, list, a, b, accumulate, type, major)                \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #accumulate                      \
               ", 0;\n"                                                              \
               "wgmma.mma_async.sync.aligned.m64n" #n type " {" TILECAST_TEXT_##list \
               "}, %" #a ", %" #b ", p, 1, 1" major ";\n}"                           \
               : TILECAST_OUT_##list                                                 \
               : "l"(desc_a), "l"(desc_b), "r"(scale_d), "n"(kOfA), "n"(kOfB))

// Like TILECAST_WGMMA_SHARED, with A in four registers.
#define TILECAST_WGMMA_REGISTERS(n, list, a0, a1, a2, a3, b, accumulate, type, major)       \
  asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, %" #accumulate                             \
               ", 0;\n"                                                                     \
               "wgmma.mma_async.sync.aligned.m64n" #n type " {" TILECAST_TEXT_##list        \
               "}, {%" #a0 ", %" #a1 ", %" #a2 ", %" #a3 "}, %" #b ", p, 1, 1" major ";\n}" \
               : TILECAST_OUT_##list                                                        \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(desc_b), "r"(scale_d), "n"(kOfB))

// Applies CASE to every n: n, its register list, and the numbers of the seven operands that may
// follow the accumulators.
#define TILECAST_WGMMA_EVERY_N(CASE)                 \
  CASE(8, 0, 4, 5, 6, 7, 8, 9, 10)                   \
  CASE(16, 1, 8, 9, 10, 11, 12, 13, 14)              \
  CASE(24, 1_4, 12, 13, 14, 15, 16, 17, 18)          \
  CASE(32, 2, 16, 17, 18, 19, 20, 21, 22)            \
  CASE(40, 2_4, 20, 21, 22, 23, 24, 25, 26)          \
  CASE(48, 3, 24, 25, 26, 27, 28, 29, 30)            \
  CASE(56, 3_4, 28, 29, 30, 31, 32, 33, 34)          \
  CASE(64, 4, 32, 33, 34, 35, 36, 37, 38)            \
  CASE(72, 4_4, 36, 37, 38, 39, 40, 41, 42)          \
  CASE(80, 5, 40, 41, 42, 43, 44, 45, 46)            \
  CASE(88, 5_4, 44, 45, 46, 47, 48, 49, 50)          \
  CASE(96, 6, 48, 49, 50, 51, 52, 53, 54)            \
  CASE(104, 6_4, 52, 53, 54, 55, 56, 57, 58)         \
  CASE(112, 7, 56, 57, 58, 59, 60, 61, 62)           \
  CASE(120, 7_4, 60, 61, 62, 63, 64, 65, 66)         \
  CASE(128, 8, 64, 65, 66, 67, 68, 69, 70)           \
  CASE(136, 8_4, 68, 69, 70, 71, 72, 73, 74)         \
  CASE(144, 9, 72, 73, 74, 75, 76, 77, 78)           \
  CASE(152, 9_4, 76, 77, 78, 79, 80, 81, 82)         \
  CASE(160, 10, 80, 81, 82, 83, 84, 85, 86)          \
  CASE(168, 10_4, 84, 85, 86, 87, 88, 89, 90)        \
  CASE(176, 11, 88, 89, 90, 91, 92, 93, 94)          \
  CASE(184, 11_4, 92, 93, 94, 95, 96, 97, 98)        \
  CASE(192, 12, 96, 97, 98, 99, 100, 101, 102)       \
  CASE(200, 12_4, 100, 101, 102, 103, 104, 105, 106) \
  CASE(208, 13, 104, 105, 106, 107, 108, 109, 110)   \
  CASE(216, 13_4, 108, 109, 110, 111, 112, 113, 114) \
  CASE(224, 14, 112, 113, 114, 115, 116, 117, 118)   \
  CASE(232, 14_4, 116, 117, 118, 119, 120, 121, 122) \
  CASE(240, 15, 120, 121, 122, 123, 124, 125, 126)   \
  CASE(248, 15_4, 124, 125, 126, 127, 128, 129, 130) \
  CASE(256, 16, 128, 129, 130, 131, 132, 133, 134)

#define TILECAST_SHARED_CASE(n, list, p0, p1, p2, p3, p4, p5, p6)                           \
  if constexpr (kN == n) {                                                                  \
    if constexpr (kType == ElementType::kFp16) {                                            \
      TILECAST_WGMMA_SHARED(n, list, p0, p1, p2, "k16.f32.f16.f16", ", %" #p3 ", %" #p4);   \
    } else if constexpr (kType == ElementType::kBf16) {                                     \
      TILECAST_WGMMA_SHARED(n, list, p0, p1, p2, "k16.f32.bf16.bf16", ", %" #p3 ", %" #p4); \
    } else if constexpr (kType == ElementType::kE4m3) {                                     \
      TILECAST_WGMMA_SHARED(n, list, p0, p1, p2, "k32.f32.e4m3.e4m3", "");                  \
    } else {                                                                                \
      TILECAST_WGMMA_SHARED(n, list, p0, p1, p2, "k32.f32.e5m2.e5m2", "");                  \
    }                                                                                       \
  }
#define TILECAST_REGISTERS_CASE(n, list, p0, p1, p2, p3, p4, p5, p6)                             \
  if constexpr (kN == n) {                                                                       \
    if constexpr (kType == ElementType::kFp16) {                                                 \
      TILECAST_WGMMA_REGISTERS(n, list, p0, p1, p2, p3, p4, p5, "k16.f32.f16.f16", ", %" #p6);   \
    } else if constexpr (kType == ElementType::kBf16) {                                          \
      TILECAST_WGMMA_REGISTERS(n, list, p0, p1, p2, p3, p4, p5, "k16.f32.bf16.bf16", ", %" #p6); \
    } else if constexpr (kType == ElementType::kE4m3) {                                          \
      TILECAST_WGMMA_REGISTERS(n, list, p0, p1, p2, p3, p4, p5, "k32.f32.e4m3.e4m3", "");        \
    } else {                                                                                     \
      TILECAST_WGMMA_REGISTERS(n, list, p0, p1, p2, p3, p4, p5, "k32.f32.e5m2.e5m2", "");        \
    }                                                                                            \
  }

template <int kN, ElementType kType, bool kTransposed>
struct CheckWgmma {
  static_assert(kN % 8 == 0 && kN >= 8 && kN <= 256, "instruction N of 8 to 256 in steps of 8");
  static_assert(kType == ElementType::kFp16 || kType == ElementType::kBf16 ||
                    (is_narrow(kType) && !kTransposed),
                "16-bit operands, or those of 8 bits, which are K-major");
};

/// Computes d (+)= A * B for 64 rows and kN columns; if `accumulate` is false, overwrites d.
/// kTransposedA: A is M-major; kTransposedB: B is N-major.
template <int kN, ElementType kType, bool kTransposedA, bool kTransposedB>
__device__ inline void wgmma_m64k16(float (&d)[kN / 2], const MatrixDescriptor& a,
                                    const MatrixDescriptor& b, bool accumulate) {
  CheckWgmma<kN, kType, kTransposedA || kTransposedB>{};
  constexpr int kOfA = kTransposedA ? 1 : 0, kOfB = kTransposedB ? 1 : 0;
  const i32 scale_d = accumulate ? 1 : 0;
  const u64 desc_a = a.bits();
  const u64 desc_b = b.bits();
  TILECAST_WGMMA_EVERY_N(TILECAST_SHARED_CASE)
}

/// Computes d (+)= A * B with A in registers: per warp, its sixteen rows of sixteen K elements as
/// loaded by ldmatrix_x4. The registers must not change before the wgmma has completed.
template <int kN, ElementType kType, bool kTransposedB>
__device__ inline void wgmma_m64k16_a_in_registers(float (&d)[kN / 2], const u32 (&a)[4],
                                                   const MatrixDescriptor& b, bool accumulate) {
  CheckWgmma<kN, kType, kTransposedB>{};
  constexpr int kOfB = kTransposedB ? 1 : 0;
  const i32 scale_d = accumulate ? 1 : 0;
  const u64 desc_b = b.bits();
  TILECAST_WGMMA_EVERY_N(TILECAST_REGISTERS_CASE)
}

#undef TILECAST_D4
#undef TILECAST_D8
#undef TILECAST_TEXT_0
#undef TILECAST_TEXT_1
#undef TILECAST_TEXT_2
#undef TILECAST_TEXT_3
#undef TILECAST_TEXT_4
#undef TILECAST_TEXT_5
#undef TILECAST_TEXT_6
#undef TILECAST_TEXT_7
#undef TILECAST_TEXT_8
#undef TILECAST_TEXT_9
#undef TILECAST_TEXT_10
#undef TILECAST_TEXT_11
#undef TILECAST_TEXT_12
#undef TILECAST_TEXT_13
#undef TILECAST_TEXT_14
#undef TILECAST_TEXT_15
#undef TILECAST_TEXT_16
#undef TILECAST_TEXT_1_4
#undef TILECAST_TEXT_2_4
#undef TILECAST_TEXT_3_4
#undef TILECAST_TEXT_4_4
#undef TILECAST_TEXT_5_4
#undef TILECAST_TEXT_6_4
#undef TILECAST_TEXT_7_4
#undef TILECAST_TEXT_8_4
#undef TILECAST_TEXT_9_4
#undef TILECAST_TEXT_10_4
#undef TILECAST_TEXT_11_4
#undef TILECAST_TEXT_12_4
#undef TILECAST_TEXT_13_4
#undef TILECAST_TEXT_14_4
#undef TILECAST_TEXT_15_4
#undef TILECAST_OUT_0
#undef TILECAST_OUT_1
#undef TILECAST_OUT_2
#undef TILECAST_OUT_3
#undef TILECAST_OUT_4
#undef TILECAST_OUT_5
#undef TILECAST_OUT_6
#undef TILECAST_OUT_7
#undef TILECAST_OUT_8
#undef TILECAST_OUT_9
#undef TILECAST_OUT_10
#undef TILECAST_OUT_11
#undef TILECAST_OUT_12
#undef TILECAST_OUT_13
#undef TILECAST_OUT_14
#undef TILECAST_OUT_15
#undef TILECAST_OUT_16
#undef TILECAST_OUT_1_4
#undef TILECAST_OUT_2_4
#undef TILECAST_OUT_3_4
#undef TILECAST_OUT_4_4
#undef TILECAST_OUT_5_4
#undef TILECAST_OUT_6_4
#undef TILECAST_OUT_7_4
#undef TILECAST_OUT_8_4
#undef TILECAST_OUT_9_4
#undef TILECAST_OUT_10_4
#undef TILECAST_OUT_11_4
#undef TILECAST_OUT_12_4
#undef TILECAST_OUT_13_4
#undef TILECAST_OUT_14_4
#undef TILECAST_OUT_15_4
#undef TILECAST_WGMMA_SHARED
#undef TILECAST_WGMMA_REGISTERS
#undef TILECAST_WGMMA_EVERY_N
#undef TILECAST_SHARED_CASE
#undef TILECAST_REGISTERS_CASE

}  // namespace tilecast::ptx
