// The ring of stages, and the barriers that guard each stage.
#pragma once

#include "kernels/device/earlier_kernels.cuh"
#include "kernels/device/ring_position.h"
#include "kernels/device/shared_memory.cuh"
#include "kernels/ptx/cluster.cuh"

namespace tilecast {

constexpr i32 kClusterSize = cluster_size(kTiling);
/// CTAs that read what one CTA loads: those in its row and in its column of the cluster.
constexpr i32 kClusterPeers = kTiling.cluster_m + kTiling.cluster_n - 1;

using RingPosition = RingPositionOf<kTiling.stages, kSmem.b_stages>;

/// A CTA's place in its cluster: rank = m + cluster_m * n.
struct ClusterPlace {
  u32 rank, m, n;

  __device__ static ClusterPlace here() {
    if constexpr (kClusterSize == 1) {
      return {0, 0, 0};
    } else {
      const u32 rank = ptx::cluster_cta_rank();
      return {rank, rank % kTiling.cluster_m, rank / kTiling.cluster_m};
    }
  }
  __device__ static u32 rank_of(u32 m, u32 n) { return m + kTiling.cluster_m * n; }
};

/// By one thread: each one that initialised barriers would need the fence, which is slow. Its own
/// bulk copies may use those of its CTA at once, other threads once they have met it.
__device__ inline void initialise_stages(const SharedMemory& smem) {
  for (i32 stage = 0; stage < kTiling.stages; ++stage) {
    ptx::mbarrier_init(smem.full(stage), 1);
    ptx::mbarrier_init(smem.empty(stage), warpgroups_per_tile(kTiling) * kClusterPeers);
  }
  ptx::fence_mbarrier_init();
}

/// Called by all threads, which leave with the barriers of the whole cluster, and what earlier
/// kernels wrote, usable.
__device__ inline void set_up_stages(const SharedMemory& smem) {
  if (threadIdx.x == 0) {
    initialise_stages(smem);
  }
  if constexpr (kClusterSize == 1) {
    __syncthreads();
  } else {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
  wait_for_earlier_kernels();
}

__device__ inline void wait_full(const SharedMemory& smem, const RingPosition& at) {
  ptx::mbarrier_wait(smem.full(at.stage), at.phase);
}

__device__ inline void wait_empty(const SharedMemory& smem, const RingPosition& at) {
  ptx::mbarrier_wait(smem.empty(at.stage), at.phase ^ 1);
}

/// Before a CTA of a cluster ends: peers may still arrive at its barriers or write its stages.
__device__ inline void leave_cluster() {
  if constexpr (kClusterSize > 1) {
    __syncwarp();
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

/// Called by a whole warpgroup that has finished reading the stage: one thread tells each CTA that
/// writes into it.
__device__ inline void release_stage(const SharedMemory& smem, i32 stage,
                                     const ClusterPlace& place) {
  const u32 thread = threadIdx.x % kThreadsPerWarpgroup;
  if constexpr (kClusterSize == 1) {
    if (thread == 0) {
      ptx::mbarrier_arrive(smem.empty(stage));
    }
  } else if (thread < kClusterPeers) {
    const u32 peer =
        thread < kTiling.cluster_m
            ? ClusterPlace::rank_of(thread, place.n)
            : ClusterPlace::rank_of(place.m,
                                    (thread - kTiling.cluster_m + 1 + place.n) % kTiling.cluster_n);
    ptx::mbarrier_arrive_remote(smem.empty(stage), peer);
  }
}

}  // namespace tilecast
