// tcgen05: Blackwell's tensor cores. A matrix multiply-accumulate is issued by one thread, reads A
// and B from shared memory and accumulates in 128 lanes x 32-bit columns of tensor memory; it
// completes on an mbarrier. kGroup is 1, or 2 for a pair of CTAs that share one instruction: the
// CTA of even rank issues it, and each CTA holds its rows of A, half of B's rows and its rows of
// the accumulators.
//
// Tensor-memory addresses are lane << 16 | column. Thread synchronization orders accesses to tensor
// memory only between a fence before and a fence after it.
#pragma once

#include "kernels/ptx/tcgen05_descriptor.h"
#include "model/base/integers.h"

namespace tilecast::ptx {

template <i32 kGroup>
struct CheckGroup {
  static_assert(kGroup == 1 || kGroup == 2, "one CTA or a pair");
};

/// Allocates `columns` (a power of two from 32 to 512), waiting until they are free, and writes
/// their address to shared memory. Called by one whole warp per CTA.
template <i32 kGroup>
__device__ inline void tcgen05_alloc(u32 shared_result, u32 columns) {
  CheckGroup<kGroup>{};
  if constexpr (kGroup == 1) {
    asm volatile(
        "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_result),
        "r"(columns)
        : "memory");
  } else {
    asm volatile(
        "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(shared_result),
        "r"(columns)
        : "memory");
  }
}

/// Promises that this CTA will not allocate again; called by the allocating warp.
template <i32 kGroup>
__device__ inline void tcgen05_relinquish_alloc_permit() {
  CheckGroup<kGroup>{};
  if constexpr (kGroup == 1) {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
  } else {
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;" ::: "memory");
  }
}

/// Frees the columns. Called by the allocating warp before the CTA ends.
template <i32 kGroup>
__device__ inline void tcgen05_dealloc(u32 address, u32 columns) {
  CheckGroup<kGroup>{};
  if constexpr (kGroup == 1) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address),
                 "r"(columns)
                 : "memory");
  } else {
    asm volatile("tcgen05.dealloc.cta_group::2.sync.aligned.b32 %0, %1;" ::"r"(address),
                 "r"(columns)
                 : "memory");
  }
}

/// Accumulates 16 K elements of A times B; if `accumulate` is false, overwrites. Called by one
/// thread.
template <i32 kGroup>
__device__ inline void tcgen05_mma_f16(u32 accumulators, const SharedOperand& a,
                                       const SharedOperand& b, u32 instruction, bool accumulate) {
  CheckGroup<kGroup>{};
  const u64 desc_a = a.bits();
  const u64 desc_b = b.bits();
  const u32 keeps = accumulate ? 1 : 0;
  if constexpr (kGroup == 1) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n"
        "}" ::"r"(accumulators),
        "l"(desc_a), "l"(desc_b), "r"(instruction), "r"(keeps)
        : "memory");
  } else {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "setp.ne.b32 p, %4, 0;\n"
        "tcgen05.mma.cta_group::2.kind::f16 [%0], %1, %2, %3, p;\n"
        "}" ::"r"(accumulators),
        "l"(desc_a), "l"(desc_b), "r"(instruction), "r"(keeps)
        : "memory");
  }
}

/// Arrives at the barrier, in each CTA of a pair, once all MMAs issued earlier by this thread are
/// complete.
template <i32 kGroup>
__device__ inline void tcgen05_commit(u32 barrier) {
  CheckGroup<kGroup>{};
  if constexpr (kGroup == 1) {
    asm volatile(
        "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(barrier)
        : "memory");
  } else {
    constexpr unsigned short kBoth = 3;
    asm volatile(
        "tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64"
        " [%0], %1;" ::"r"(barrier),
        "h"(kBoth)
        : "memory");
  }
}

/// Required before a thread signals others about its accesses to tensor memory.
__device__ inline void tcgen05_fence_before_thread_sync() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

/// Required after a thread was signalled about others' accesses.
__device__ inline void tcgen05_fence_after_thread_sync() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

#define TILECAST_R4(i) "=r"(r[i]), "=r"(r[i + 1]), "=r"(r[i + 2]), "=r"(r[i + 3])

/// Loads 32 columns: thread t of the warp gets the t-th of its 32 lanes, which start at 32 * (warp
/// % 4); valid after tcgen05_wait_ld.
__device__ inline void tcgen05_ld_32_columns(u32 (&r)[32], u32 address) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32"
      " {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19,"
      " %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
      : TILECAST_R4(0), TILECAST_R4(4), TILECAST_R4(8), TILECAST_R4(12), TILECAST_R4(16),
        TILECAST_R4(20), TILECAST_R4(24), TILECAST_R4(28)
      : "r"(address));
}

#undef TILECAST_R4

/// Waits for this thread's loads from tensor memory, including `r`, which the compiler uses only
/// afterwards.
__device__ inline void tcgen05_wait_ld(u32 (&r)[32]) {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 32; ++i) {
    asm volatile("" : "+r"(r[i])::"memory");
  }
}

}  // namespace tilecast::ptx
