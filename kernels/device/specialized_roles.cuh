// The roles of the warp-specialised kernels: one producer warpgroup behind the consumers. Registers
// move from the one to the others.
#pragma once

#include "kernels/device/producer.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

struct DoNothing {
  __device__ void operator()(const GemmArgs&, const ClusterPlace&) const {}
};

/// Barriers are usable behind it. A producer alone in its cluster initialised those that it uses
/// and goes on without waiting: its first loads are on their way before the CTA has met.
__device__ inline void meet(bool produces) {
  constexpr u32 kWholeCta = 0;  // the barrier of __syncthreads
  if constexpr (kClusterSize > 1) {
    ptx::cluster_arrive();
    ptx::cluster_wait();
  } else if (produces) {
    ptx::named_barrier_arrive(kWholeCta, kThreads);
  } else {
    ptx::named_barrier_sync(kWholeCta, kThreads);
  }
}

/// `produce(args, smem, cta)` is called by one thread of the producer, `consume(args, smem, cta,
/// warpgroup)` by every thread of the consumers, `assist(args, cta)` by every thread of the
/// producer warpgroup's other warps.
template <class Produce, class Consume, class Assist = DoNothing>
__device__ inline void run_specialized(const GemmArgs& args, const SharedMemory& smem,
                                       Produce produce, Consume consume, Assist assist = {}) {
  TileTimeline::enter();
  const ClusterPlace cta = ClusterPlace::here();
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const bool produces = warp == kConsumerWarpgroups * kWarpsPerWarpgroup;
  if (produces) {
#ifdef TILECAST_GROUPED
    wait_for_earlier_kernels();  // one of which may write how many rows the groups have
    const GroupNumbers first = GroupNumbers::of(args.groups, static_cast<i32>(threadIdx.x % 32));
#endif
    if (ptx::elect_one()) {
      prefetch_tensor_maps(args);
      initialise_stages(smem);
    }
#ifdef TILECAST_GROUPED
    fill_group_table(args, first);
#endif
    __syncwarp();
  }
  meet(produces);
  wait_for_earlier_kernels();
  if (warpgroup == kConsumerWarpgroups) {
    ptx::setmaxnreg_dec<kRegisters.producer>();
    if (!produces) {
      assist(args, cta);
    } else if (ptx::elect_one()) {
      produce(args, smem, cta);
    }
  } else {
    ptx::setmaxnreg_inc<kRegisters.consumer>();
    consume(args, smem, cta, warpgroup);
  }
  leave_cluster();
}

}  // namespace tilecast
