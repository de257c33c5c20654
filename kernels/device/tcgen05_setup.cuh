// Setup of the tcgen05 kernels before their first tile and teardown after their last: barriers,
// tensor memory, the pair of CTAs.
//
// The CTA of rank 0 leads a pair: its barriers track both CTAs' operands, its warp issues, and
// commits arrive in both. A stage is full when the bytes of all CTAs of the group have arrived, and
// empty when the MMAs that read it are complete.
#pragma once

#include "kernels/device/stage_ring.cuh"
#include "kernels/ptx/cluster_launch_control.cuh"
#include "kernels/ptx/cta_pair.cuh"
#include "kernels/ptx/tcgen05.cuh"
#include "kernels/ptx/warp.cuh"
#include "model/gemm/config/tensor_memory.h"

namespace tilecast {

template <class Config>
constexpr i32 kEpilogueWarps = Config::kConsumerWarpgroups * kWarpsPerWarpgroup;
template <class Config>
using AccumulatorPosition = BufferPosition<Config::kAccumulators>;
using AnswerPosition = BufferPosition<kLaunchAnswers>;

/// Addresses of the barriers and fields after the stages' barriers.
struct Tcgen05Shared {
  u32 base;

  template <class Config>
  __device__ static Tcgen05Shared of(const SharedMemory<Config>& smem) {
    return {smem.base + Config::kSmem.tcgen05_offset};
  }
  __device__ u32 answer(i32 i) const {
    return base + kTcgen05AnswerOffset + i * ptx::kLaunchAnswerBytes;
  }
  /// Completes a phase when the MMAs of a tile are complete; each CTA of a pair has one.
  __device__ u32 accumulator_full(i32 i) const {
    return base + kTcgen05AccumulatorOffset + i * kBarrierBytes;
  }
  /// Completes a phase once every epilogue warp of the group has read the tile; only the leader's
  /// barrier is used.
  __device__ u32 accumulator_empty(i32 i) const { return accumulator_full(kMostAccumulators + i); }
  __device__ u32 answer_full(i32 i) const {
    return base + kTcgen05AnswerBarrierOffset + i * kBarrierBytes;
  }
  /// Completes a phase once every role in the group has read the scheduler's response; only the
  /// leader's barrier is used.
  __device__ u32 answer_empty(i32 i) const { return answer_full(kLaunchAnswers + i); }
  __device__ u32 address() const { return base + kTcgen05AddressOffset; }
};

/// Arrives once at a barrier of the leader, ordered after this thread's earlier accesses.
template <class Config>
__device__ inline void arrive_at_leader(u32 barrier) {
  if constexpr (Config::kCtaGroup == 1) {
    ptx::mbarrier_arrive(barrier);
  } else {
    ptx::mbarrier_arrive_cluster(ptx::shared_address_in(barrier, 0));
  }
}

/// Called by the leader to wait for both CTAs.
template <class Config>
__device__ inline void wait_for_group(u32 barrier, u32 parity) {
  if constexpr (Config::kCtaGroup == 1) {
    ptx::mbarrier_wait(barrier, parity);
  } else {
    ptx::mbarrier_wait_cluster(barrier, parity);
  }
}

template <class Config>
__device__ inline bool leads(const ClusterPlace& cta) {
  return Config::kCtaGroup == 1 || cta.rank == 0;
}

template <class Config>
__device__ inline void sync_group() {
  if constexpr (Config::kCtaGroup == 1) {
    __syncthreads();
  } else {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  }
}

/// Initialises barriers and allocates tensor memory, whose address it returns. Called by all
/// threads as their first common step. `answer_readers`: number of arrivals that free a scheduler
/// response; 0 without tile takeover.
template <class Config>
__device__ inline u32 set_up_tcgen05(const SharedMemory<Config>& smem, i32 warp,
                                     i32 allocating_warp, u32 answer_readers) {
  static_assert(Config::kTiling.block_m == kTcgen05BlockM,
                "one lane of tensor memory for each row");
  static_assert(Config::kTiling.block_k % kSlabElements == 0, "whole 128-byte swizzle rows");
  static_assert(Config::kTiling.warpgroups_m == 1, "every warpgroup stores all 128 rows");
  static_assert(Config::kTiling.cluster_n == 1 && Config::kCtaGroup <= 2,
                "a CTA alone or a pair along M");
  static_assert(Config::kWarpgroupColumns % kTcgen05NStep == 0, "whole slots of C");
  static_assert(Config::kTensorMemorySuffices, "tensor memory for the CTAs that were promised");
  static_assert(Config::kAKMajor && Config::kBKMajor, "both operands K-major");
  const Tcgen05Shared own = Tcgen05Shared::of(smem);
  if (threadIdx.x == 0) {
    for (i32 stage = 0; stage < Config::kTiling.stages; ++stage) {
      ptx::mbarrier_init(smem.full(stage), 1);
      ptx::mbarrier_init(smem.empty(stage), 1);
    }
    for (i32 i = 0; i < Config::kAccumulators; ++i) {
      ptx::mbarrier_init(own.accumulator_full(i), 1);
      ptx::mbarrier_init(own.accumulator_empty(i), kEpilogueWarps<Config> * Config::kCtaGroup);
    }
    if (answer_readers > 0) {
      for (i32 i = 0; i < kLaunchAnswers; ++i) {
        ptx::mbarrier_init(own.answer_full(i), 1);
        ptx::mbarrier_init(own.answer_empty(i), answer_readers);
      }
    }
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  if (warp == allocating_warp) {
    ptx::tcgen05_alloc<Config::kCtaGroup>(own.address(), Config::kTensorMemoryAsked);
    ptx::tcgen05_relinquish_alloc_permit<Config::kCtaGroup>();
  }
  ptx::tcgen05_fence_before_thread_sync();
  sync_group<Config>();
  ptx::tcgen05_fence_after_thread_sync();
  return ptx::load_shared_u32(own.address());
}

/// Releases tensor memory. Called by all threads at the end, when no CTA reads tensor memory or
/// accesses its peer any more.
__device__ inline void take_down_tcgen05(u32 tensor_memory, i32 warp, i32 allocating_warp) {
  __syncwarp();
  ptx::tcgen05_fence_before_thread_sync();
  sync_group<Config>();
  ptx::tcgen05_fence_after_thread_sync();
  if (warp == allocating_warp) {
    ptx::tcgen05_dealloc<Config::kCtaGroup>(tensor_memory, Config::kTensorMemoryAsked);
  }
}

}  // namespace tilecast
