// The roles of the warp-specialised kernels: consumer warpgroups, and one producer warpgroup that
// gives registers to them.
#pragma once

#include "kernels/device/producer.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

struct DoNothing {
  template <class Config>
  __device__ void operator()(const Args<Config>&, const ClusterPlace&) const {}
};

/// Synchronises the CTA once its barriers are initialised. A producer without cluster peers does
/// not wait, because it initialised its barriers itself; its first loads are then already in
/// flight.
template <class Config>
__device__ inline void meet(bool produces) {
  constexpr u32 kWholeCta = 0;  // the barrier of __syncthreads
  if constexpr (Config::kClusterSize > 1) {
    if constexpr (Config::kGrouped) {
      __syncthreads();  // the group table is in shared memory
    }
    meet_cluster();
  } else if (produces) {
    ptx::named_barrier_arrive(kWholeCta, Config::kThreads);
  } else {
    ptx::named_barrier_sync(kWholeCta, Config::kThreads);
  }
}

/// `produce(args, smem, cta)` is called by one thread of the producer, `consume(args, smem, cta,
/// warpgroup)` by every thread of the consumers, `assist(args, cta)` by every thread of the
/// producer warpgroup's other warps.
template <class Config, class Produce, class Consume, class Assist = DoNothing>
__device__ inline void run_specialized(const Args<Config>& args, const SharedMemory<Config>& smem,
                                       Produce produce, Consume consume, Assist assist = {}) {
  const ClusterPlace cta = ClusterPlace::here<Config>();
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const bool produces = warp == Config::kConsumerWarpgroups * kWarpsPerWarpgroup;
  if (produces) {
    GroupNumbers first{};
    if constexpr (Config::kGrouped) {
      wait_for_earlier_kernels<Config>();  // an earlier kernel may write the groups' row counts
      first = GroupNumbers::of(args.groups, static_cast<i32>(threadIdx.x % 32));
    }
    if (ptx::elect_one()) {
      prefetch_tensor_maps(args);
      initialise_stages(smem);
    }
    if constexpr (Config::kGrouped) {
      fill_group_table(args, first);
    }
    __syncwarp();
  }
  meet<Config>(produces);
  wait_for_earlier_kernels<Config>();
  if (warpgroup == Config::kConsumerWarpgroups) {
    ptx::setmaxnreg_dec<Config::kRegisters.producer>();
    if (!produces) {
      assist(args, cta);
    } else if (ptx::elect_one()) {
      produce(args, smem, cta);
    }
  } else {
    ptx::setmaxnreg_inc<Config::kRegisters.consumer>();
    consume(args, smem, cta, warpgroup);
  }
}

}  // namespace tilecast
