// A consumer warpgroup's work on one tile's K blocks in the warp-specialised kernels.
#pragma once

#include "kernels/device/promotion.cuh"

namespace tilecast {

/// Number of K blocks of the tile with index `linear` in the tile order.
template <class Config>
__device__ inline i32 k_blocks_of(const Args<Config>& args, u32 linear, const ClusterPlace& cta) {
  if constexpr (Config::kGroupedAlongK) {
    return tile_origin(args, linear, cta).k_blocks(args);
  }
  return args.k_blocks;
}

/// Multiplies k_blocks stages from `at` on, and advances `at` past them. On return every stage is
/// released and the accumulators are complete. `on_issued` is called once the last wgmmas are
/// issued; `behind` is called after each K block's wgmmas are issued.
template <class Config, class OnIssued, class Behind = NothingBehind>
__device__ inline void multiply_stages(const SharedMemory<Config>& smem,
                                       const OperandDescriptors& operands, RingPosition<Config>& at,
                                       Accumulator<Config>& acc, i32 k_blocks,
                                       const ClusterPlace& place, OnIssued on_issued,
                                       Behind behind = {}) {
  if constexpr (Config::kPromoted) {
    Promotion<Config, Behind>{operands, acc, behind}.run(smem, at, k_blocks, place);
    on_issued();
  } else {
    RingPosition<Config> to_release = at;  // trails `at` by the K blocks still in flight
    WgmmaOperation<Config, Behind> operation{operands, acc, behind};
    multiply_k_blocks(
        smem, operation, at, to_release, k_blocks, place, [](i32) {}, on_issued);
  }
}

}  // namespace tilecast
