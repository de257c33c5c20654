// What a consumer warpgroup of the warp-specialised kernels does with one tile's K blocks.
#pragma once

#include "kernels/device/mma.cuh"

namespace tilecast {

/// Multiplies k_blocks stages from `at` on, and leaves `at` behind the last one, every stage
/// released and the accumulators complete. `on_issued` is called once the last wgmmas are issued.
template <class OnIssued>
__device__ inline void multiply_stages(const SharedMemory& smem, const OperandDescriptors& operands,
                                       RingPosition& at, Accumulator& acc, i32 k_blocks,
                                       const ClusterPlace& place, OnIssued on_issued) {
  static_assert(kInflight < kTiling.stages, "a stage must be free while wgmmas are in flight");
  RingPosition to_release = at;  // trails `at` by the K blocks still in flight
  for (i32 k_block = 0; k_block < k_blocks; ++k_block) {
    wait_full(smem, at);
    mma_k_block(acc, operands, at, k_block > 0);
    at.advance();
    ptx::wgmma_wait<kInflight>();
    if (k_block >= kInflight) {
      release_stage(smem, to_release.stage, place);
      to_release.advance();
    }
  }
  on_issued();
  ptx::wgmma_wait<0>();
  acc.fence();
  while (to_release.stage != at.stage) {
    release_stage(smem, to_release.stage, place);
    to_release.advance();
  }
}

}  // namespace tilecast
