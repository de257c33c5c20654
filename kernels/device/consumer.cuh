// What a consumer warpgroup of the warp-specialised kernels does with one tile's K blocks.
#pragma once

#include "kernels/device/promotion.cuh"

namespace tilecast {

/// Of the tile that is `linear` in the order of tiles.
__device__ inline i32 k_blocks_of(const GemmArgs& args, u32 linear, const ClusterPlace& cta) {
  if constexpr (parts_k()) {
    return tile_origin(args, linear, cta).k_blocks(args);
  }
  return args.k_blocks;
}

/// Multiplies k_blocks stages from `at` on, and leaves `at` behind the last one, every stage
/// released and the accumulators complete. `on_issued` is called once the last wgmmas are issued,
/// `behind` once each K block's are.
template <class OnIssued, class Behind = NothingBehind>
__device__ inline void multiply_stages(const SharedMemory& smem, const OperandDescriptors& operands,
                                       RingPosition& at, Accumulator& acc, i32 k_blocks,
                                       const ClusterPlace& place, OnIssued on_issued,
                                       Behind behind = {}) {
  if constexpr (promoted()) {
    Promotion<Behind, Accumulator>{operands, acc, behind}.run(smem, at, k_blocks, place);
    on_issued();
  } else {
    RingPosition to_release = at;  // trails `at` by the K blocks still in flight
    WgmmaOperation<Behind> operation{operands, acc, behind};
    multiply_k_blocks(
        smem, operation, at, to_release, k_blocks, place, [](i32) {}, on_issued);
  }
}

}  // namespace tilecast
