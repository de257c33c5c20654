// More of the bulk copy engine: tensor copies with a cache hint, and copies of plain contiguous
// memory, which need no tensor map. Sizes and addresses are multiples of 16 bytes.
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

/// Global -> shared; `barrier` receives the bytes.
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

/// The same bytes to the same offset, and the same barrier, of every CTA in `cta_mask`.
__device__ __forceinline__ void bulk_load_multicast(u32 destination, const void* source, u32 bytes,
                                                    u32 barrier, unsigned short cta_mask) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
      " [%0], [%1], %2, [%3], %4;" ::"r"(destination),
      "l"(source), "r"(bytes), "r"(barrier), "h"(cta_mask)
      : "memory");
}

/// Shared -> the shared memory of CTA `rank` of the cluster, whose barrier receives the bytes;
/// `destination` and `barrier` are this CTA's addresses of the same places.
__device__ __forceinline__ void bulk_copy_to_cta(u32 destination, u32 source, u32 bytes,
                                                 u32 barrier, u32 rank) {
  asm volatile(
      "{\n"
      ".reg .b32 to, remote;\n"
      "mapa.shared::cluster.u32 to, %0, %4;\n"
      "mapa.shared::cluster.u32 remote, %3, %4;\n"
      "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [to], [%1], %2, "
      "[remote];\n"
      "}" ::"r"(destination),
      "r"(source), "r"(bytes), "r"(barrier), "r"(rank)
      : "memory");
}

/// Shared -> global, in the thread's current bulk group.
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

/// Adds fp32 elements to global memory.
__device__ __forceinline__ void bulk_reduce_add_f32(void* destination, u32 source, u32 bytes) {
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   destination),
               "r"(source), "r"(bytes)
               : "memory");
}

/// Until at most kPending of this thread's bulk groups are unfinished: their writes are done.
template <int kPending>
__device__ __forceinline__ void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(kPending) : "memory");
}

}  // namespace tilecast::ptx
