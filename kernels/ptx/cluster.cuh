// Thread-block clusters: rank and barrier.
#pragma once

#include "kernels/ptx/vector_access.cuh"

namespace tilecast::ptx {

__device__ inline u32 cluster_cta_rank() {
  u32 rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}

__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

/// Arrives without making earlier writes visible.
__device__ inline void cluster_arrive_relaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
}

__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Loads from the same offset in the shared memory of the CTA with this rank.
template <int kBytes>
__device__ __forceinline__ Vector<kBytes> load_cluster(u32 address, u32 cta_rank) {
  static_assert(kBytes == 4 || kBytes == 8 || kBytes == 16, "bytes of one load");
  Vector<kBytes> v;
  u32 remote;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(address), "r"(cta_rank));
  if constexpr (kBytes == 4) {
    asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(v.word[0]) : "r"(remote) : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("ld.shared::cluster.v2.u32 {%0, %1}, [%2];"
                 : "=r"(v.word[0]), "=r"(v.word[1])
                 : "r"(remote)
                 : "memory");
  } else {
    asm volatile("ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "r"(remote)
                 : "memory");
  }
  return v;
}

}  // namespace tilecast::ptx
