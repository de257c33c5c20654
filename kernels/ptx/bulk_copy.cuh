// More bulk copies: tensor copies with a cache hint, and copies of contiguous memory, which need no
// tensor map. Sizes and addresses are multiples of 16 bytes.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

__device__ __forceinline__ void tma_load_2d_hinted(u32 destination, const void* map, i32 x, i32 y,
                                                   u32 barrier, u64 policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "l"(policy)
      : "memory");
}

__device__ __forceinline__ void tma_store_2d_hinted(const void* map, u32 source, i32 x, i32 y,
                                                    u64 policy) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group.L2::cache_hint [%0, {%1, %2}], [%3],"
      " %4;" ::"l"(map),
      "r"(x), "r"(y), "r"(source), "l"(policy)
      : "memory");
}

/// Copies from global to shared memory; `barrier` counts the bytes.
__device__ __forceinline__ void bulk_load(u32 destination, const void* source, u32 bytes,
                                          u32 barrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(destination),
      "l"(source), "r"(bytes), "r"(barrier)
      : "memory");
}

__device__ __forceinline__ void bulk_load_hinted(u32 destination, const void* source, u32 bytes,
                                                 u32 barrier, u64 policy) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
      " [%0], [%1], %2, [%3], %4;" ::"r"(destination),
      "l"(source), "r"(bytes), "r"(barrier), "l"(policy)
      : "memory");
}

/// Copies from shared to global memory, in the thread's current bulk group.
__device__ __forceinline__ void bulk_store(void* destination, u32 source, u32 bytes) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(destination),
               "r"(source), "r"(bytes)
               : "memory");
}

__device__ __forceinline__ void bulk_store_hinted(void* destination, u32 source, u32 bytes,
                                                  u64 policy) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;" ::"l"(
          destination),
      "r"(source), "r"(bytes), "l"(policy)
      : "memory");
}

/// Waits until at most kPending of this thread's bulk groups are incomplete, including their
/// writes.
template <int kPending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tilecast::ptx
