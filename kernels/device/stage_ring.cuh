// The ring of stages, and the barriers that guard each stage.
#pragma once

#include "kernels/device/earlier_kernels.cuh"
#include "kernels/device/ring_position.h"
#include "kernels/device/shared_memory.cuh"
#include "kernels/ptx/cluster.cuh"

namespace tilecast {

template <class Config>
using RingPosition = RingPositionOf<Config::kTiling.stages, Config::kSmem.b_stages>;

/// Position of a CTA in its cluster: rank = m + cluster_m * n.
struct ClusterPlace {
  u32 rank, m, n;

  template <class Config>
  __device__ static ClusterPlace here() {
    if constexpr (Config::kClusterSize == 1) {
      return {0, 0, 0};
    } else {
      const u32 rank = ptx::cluster_cta_rank();
      return {rank, rank % Config::kTiling.cluster_m, rank / Config::kTiling.cluster_m};
    }
  }
  template <class Config>
  __device__ static u32 rank_of(u32 m, u32 n) {
    return m + Config::kTiling.cluster_m * n;
  }
};

/// Initialises the stages' barriers. Called by one thread, because each initialising thread would
/// need the fence, which is slow. That thread's bulk copies may use the CTA's barriers at once;
/// other threads must synchronise with it first.
template <class Config>
__device__ inline void initialise_stages(const SharedMemory<Config>& smem) {
  for (i32 stage = 0; stage < Config::kTiling.stages; ++stage) {
    ptx::mbarrier_init(smem.full(stage), 1);
    ptx::mbarrier_init(smem.empty(stage),
                       warpgroups_per_tile(Config::kTiling) * Config::kClusterPeers);
  }
  ptx::fence_mbarrier_init();
}

/// Called by all threads; on return the barriers of the whole cluster are usable. A relaxed arrival
/// suffices after the fence of initialise_stages; one that releases would first wait for all of the
/// SM's memory accesses.
__device__ inline void meet_cluster() {
  ptx::cluster_arrive_relaxed();
  ptx::cluster_wait();
}

/// Called by all threads; on return the barriers of the whole cluster, and the writes of earlier
/// kernels, are usable.
template <class Config>
__device__ inline void set_up_stages(const SharedMemory<Config>& smem) {
  if (threadIdx.x == 0) {
    initialise_stages(smem);
  }
  if constexpr (Config::kClusterSize == 1) {
    __syncthreads();
  } else {
    meet_cluster();
  }
  wait_for_earlier_kernels<Config>();
}

template <class Config>
__device__ inline void wait_full(const SharedMemory<Config>& smem, const RingPosition<Config>& at) {
  ptx::mbarrier_wait(smem.full(at.stage), at.phase);
}

template <class Config>
__device__ inline void wait_empty(const SharedMemory<Config>& smem,
                                  const RingPosition<Config>& at) {
  ptx::mbarrier_wait(smem.empty(at.stage), at.phase ^ 1);
}

/// Called with the position after the last load: waits until all stages are released, after which
/// no peer signals this CTA's barriers and it may end. Its own consumers have waited for all that
/// peers write into its stages.
template <class Config>
__device__ inline void outlast_peers(const SharedMemory<Config>& smem, RingPosition<Config> at) {
  if constexpr (Config::kClusterSize > 1) {
    for (i32 stage = 0; stage < Config::kTiling.stages; ++stage) {
      wait_empty(smem, at);
      at.advance();
    }
  }
}

/// Called by a whole warpgroup that has finished reading the stage: one thread signals each CTA
/// that writes into it.
template <class Config>
__device__ inline void release_stage(const SharedMemory<Config>& smem, i32 stage,
                                     const ClusterPlace& place) {
  const u32 thread = threadIdx.x % kThreadsPerWarpgroup;
  if constexpr (Config::kClusterSize == 1) {
    if (thread == 0) {
      ptx::mbarrier_arrive(smem.empty(stage));
    }
  } else if (thread < Config::kClusterPeers) {
    const u32 peer = thread < Config::kTiling.cluster_m
                         ? ClusterPlace::rank_of<Config>(thread, place.n)
                         : ClusterPlace::rank_of<Config>(
                               place.m, (thread - Config::kTiling.cluster_m + 1 + place.n) %
                                            Config::kTiling.cluster_n);
    ptx::mbarrier_arrive_remote(smem.empty(stage), peer);
  }
}

}  // namespace tilecast
