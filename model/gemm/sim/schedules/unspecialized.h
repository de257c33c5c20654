// kernels/device/unspecialized_loop.cuh: every warpgroup multiplies, and the first one also loads.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

inline bool loads(const Warpgroup& warpgroup) { return warpgroup.index == 0; }

/// One tile on its own: its first loads fill the ring, later ones follow the released stages, and
/// none is left for the next tile.
Process run_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan& span);

}  // namespace tilecast
