// A pair of CTAs that share tensor core instructions: copies that signal the other CTA's barrier,
// and remote arrivals. The pair is a cluster of two; rank 0 leads.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// Maps a shared-memory address to the cluster's CTA `rank`.
__device__ inline u32 shared_address_in(u32 address, u32 rank) {
  u32 mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(rank));
  return mapped;
}

/// Arrives once at a barrier of any CTA in the cluster, with release semantics at cluster scope.
__device__ inline void mbarrier_arrive_cluster(u32 cluster_barrier) {
  asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(cluster_barrier)
               : "memory");
}

/// Waits like mbarrier_wait, with acquire semantics at cluster scope.
__device__ inline void mbarrier_wait_cluster(u32 barrier, u32 parity) {
  u32 done = 0;
  while (done == 0) {
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p;\n"
        "}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}

/// Copies global memory to this CTA's shared memory. `barrier`, which counts the bytes, may be the
/// leader's.
__device__ inline void tma_load_2d_pair(u32 destination, const void* map, i32 x, i32 y,
                                        u32 cluster_barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.cta_group::2"
      " [%0], [%1, {%2, %3}], [%4];" ::"r"(destination),
      "l"(map), "r"(x), "r"(y), "r"(cluster_barrier)
      : "memory");
}

}  // namespace tilecast::ptx
