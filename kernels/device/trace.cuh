// Optionally records the pieces of work that a CTA walked, for comparison with the model's walk.
#pragma once

#include "kernels/device/tile_loads.cuh"

namespace tilecast {

/// Records the start of the CTA's `index`-th piece (K blocks [k_begin, k_end)); called by one
/// thread per CTA.
template <class Config>
__device__ inline void trace_piece(const Args<Config>& args, const TileOrigin& tile, i32 k_begin,
                                   i32 k_end, u32 index) {
  if (args.trace != nullptr) {
    args.trace[blockIdx.x * args.trace_stride + index] = {
        static_cast<u32>(tile_row(args, tile)), static_cast<u32>(tile.n / Config::kTiling.block_n),
        k_begin, k_end};
  }
}

/// Records the start of a piece that is a whole tile.
template <class Config>
__device__ inline void trace_tile(const Args<Config>& args, const TileOrigin& tile, u32 index) {
  trace_piece(args, tile, 0, tile.k_blocks(args), index);
}

}  // namespace tilecast
