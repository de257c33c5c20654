// On request, the tiles a CTA really walked: checked against the model's walk.
#pragma once

#include "kernels/device/tile_loads.cuh"

namespace tilecast {

/// Called by one thread per CTA as it takes its `index`-th tile.
__device__ inline void trace_tile(const GemmArgs& args, const TileOrigin& tile, u32 index) {
  if (args.trace != nullptr) {
    args.trace[blockIdx.x * args.trace_stride + index] = {
        static_cast<u32>(tile.m / kTiling.block_m), static_cast<u32>(tile.n / kTiling.block_n)};
  }
}

}  // namespace tilecast
