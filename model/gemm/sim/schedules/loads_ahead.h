// Models loads that run ahead across tiles in kernels without a producer warp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Position of the next K block to load, over all tiles of this worker.
struct LoadsAhead {
  u32 linear;
  u32 k_block = 0;
  TileCoord tile{};  // position of `linear`, once its first K block is loaded

  bool left(Cta& cta) const { return linear < cta.end_tile(); }
  void load(Cta& cta, Warpgroup& wg) {
    if (k_block == 0) {
      tile = cta.tile_at(linear);
    }
    cta.load_k_block(wg, tile, k_block);
    if (++k_block == cta.k_blocks()) {
      k_block = 0;
      linear = cta.next_tile(linear);
      wg.ready += left(cta) ? cta.costs().tile.find : SimTime{};
    }
  }
};

}  // namespace tilecast
