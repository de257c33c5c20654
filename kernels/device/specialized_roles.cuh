// The roles of the warp-specialised kernels: one producer warpgroup behind the consumers. Registers
// move from the one to the others.
#pragma once

#include "kernels/device/producer.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

/// `produce(args, smem, cta)` is called by one thread of the producer, `consume(args, smem, cta,
/// warpgroup)` by every thread of the consumers.
template <class Produce, class Consume>
__device__ inline void run_specialized(const GemmArgs& args, const SharedMemory& smem,
                                       Produce produce, Consume consume) {
  const ClusterPlace cta = ClusterPlace::here();
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  const bool produces = warp == kConsumerWarpgroups * kWarpsPerWarpgroup;
  if (produces && ptx::elect_one()) {
    prefetch_tensor_maps(args);
  }
  set_up_stages(smem);
  if (warpgroup == kConsumerWarpgroups) {
    ptx::setmaxnreg_dec<kRegisters.producer>();
    if (produces && ptx::elect_one()) {
      produce(args, smem, cta);
    }
  } else {
    ptx::setmaxnreg_inc<kRegisters.consumer>();
    consume(args, smem, cta, warpgroup);
  }
  leave_cluster();
}

}  // namespace tilecast
