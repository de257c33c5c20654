// wgmma as the operation of stage_loop.cuh: accumulators in the registers of one warpgroup.
#pragma once

#include "kernels/device/mma.cuh"
#include "kernels/device/stage_loop.cuh"

namespace tilecast {

struct NothingBehind {
  __device__ void operator()() const {}
};

/// The wgmmas of a K block; `behind()` is called after their issue, before any is waited for.
template <class Config, class Behind = NothingBehind>
struct WgmmaOperation {
  static constexpr i32 kLag = Config::kInflight;

  const OperandDescriptors& operands;
  Accumulator<Config>& accumulator;  // the result, once finished
  Behind behind = {};

  __device__ __forceinline__ void wait_operands(const SharedMemory<Config>& smem,
                                                const RingPosition<Config>& at) const {
    wait_full(smem, at);
  }
  __device__ __forceinline__ void issue(const SharedMemory<Config>&, const RingPosition<Config>& at,
                                        bool accumulate) {
    mma_k_block(accumulator, operands, at, accumulate);
    behind();
  }
  __device__ __forceinline__ void wait_outstanding(const SharedMemory<Config>&,
                                                   const RingPosition<Config>&, i32) const {
    ptx::wgmma_wait<kLag>();
  }
  __device__ __forceinline__ void release(const SharedMemory<Config>& smem,
                                          const RingPosition<Config>& at,
                                          const ClusterPlace& place) const {
    release_stage(smem, at.stage, place);
  }
  __device__ __forceinline__ void finish(const SharedMemory<Config>&) {
    ptx::wgmma_wait<0>();
    accumulator.fence();
  }
};

}  // namespace tilecast
