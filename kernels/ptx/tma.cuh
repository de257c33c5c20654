// Bulk tensor copies (TMA) with tensor maps of two to five dimensions. `map` points to a TensorMap
// in kernel parameters.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// Prefetches a tensor map before its first use.
__device__ inline void prefetch_tensor_map(const void* map) {
  asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

/// Copies from global to shared memory; `barrier` counts the bytes. x is the contiguous coordinate.
__device__ inline void tma_load_2d(u32 destination, const void* map, i32 x, i32 y, u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(barrier)
      : "memory");
}

__device__ inline void tma_load_3d(u32 destination, const void* map, i32 x, i32 y, i32 z,
                                   u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4}], [%5];" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier)
      : "memory");
}

__device__ inline void tma_load_4d(u32 destination, const void* map, i32 x, i32 y, i32 z, i32 w,
                                   u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier)
      : "memory");
}

__device__ inline void tma_load_5d(u32 destination, const void* map, i32 x, i32 y, i32 z, i32 w,
                                   i32 v, u32 barrier) {
  asm volatile(
      "cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
      " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(v), "r"(barrier)
      : "memory");
}

/// Copies a box to the same offset, and signals the same barrier, in every CTA in `cta_mask`.
__device__ inline void tma_load_2d_multicast(u32 destination, const void* map, i32 x, i32 y,
                                             u32 barrier, unsigned short cta_mask) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(barrier), "h"(cta_mask)
      : "memory");
}

__device__ inline void tma_load_3d_multicast(u32 destination, const void* map, i32 x, i32 y, i32 z,
                                             u32 barrier, unsigned short cta_mask) {
  asm volatile(
      "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4}], [%5], %6;" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(barrier), "h"(cta_mask)
      : "memory");
}

__device__ inline void tma_load_4d_multicast(u32 destination, const void* map, i32 x, i32 y, i32 z,
                                             i32 w, u32 barrier, unsigned short cta_mask) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3, %4, %5}], [%6], %7;" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(z), "r"(w), "r"(barrier), "h"(cta_mask)
      : "memory");
}

/// Prefetches a box into L2.
__device__ inline void tma_prefetch_2d(const void* map, i32 x, i32 y) {
  asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global [%0, {%1, %2}];" ::"l"(map), "r"(x),
               "r"(y)
               : "memory");
}

__device__ inline void tma_prefetch_3d(const void* map, i32 x, i32 y, i32 z) {
  asm volatile("cp.async.bulk.prefetch.tensor.3d.L2.global [%0, {%1, %2, %3}];" ::"l"(map), "r"(x),
               "r"(y), "r"(z)
               : "memory");
}

/// Copies from shared to global memory, clipped at the tensor's bounds.
__device__ inline void tma_store_2d(const void* map, u32 source, i32 x, i32 y) {
  asm volatile(
      "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(source)
      : "memory");
}

__device__ inline void tma_store_3d(const void* map, u32 source, i32 x, i32 y, i32 z) {
  asm volatile(
      "cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(map),
      "r"(x), "r"(y), "r"(z), "r"(source)
      : "memory");
}

__device__ inline void tma_store_4d(const void* map, u32 source, i32 x, i32 y, i32 z, i32 w) {
  asm volatile(
      "cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];" ::"l"(
          map),
      "r"(x), "r"(y), "r"(z), "r"(w), "r"(source)
      : "memory");
}

__device__ inline void tma_store_5d(const void* map, u32 source, i32 x, i32 y, i32 z, i32 w,
                                    i32 v) {
  asm volatile(
      "cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::
          "l"(map),
      "r"(x), "r"(y), "r"(z), "r"(w), "r"(v), "r"(source)
      : "memory");
}

__device__ inline void tma_store_commit() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Waits until at most kPending of this thread's committed stores still have to read shared memory.
template <int kPending>
__device__ inline void tma_store_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(kPending) : "memory");
}

/// Orders this thread's ordinary shared-memory accesses before later ones of the copy engine.
__device__ inline void fence_proxy_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

}  // namespace tilecast::ptx
