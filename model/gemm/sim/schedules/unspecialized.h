// kernels/device/unspecialized_loop.cuh: every warpgroup multiplies, and the first one also loads.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

inline bool loads(const Warpgroup& warpgroup) { return warpgroup.index == 0; }

/// Runs a tile without prefetching for the next one: the first loads fill the ring, each later load
/// waits for a released stage.
Process run_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan& span);

}  // namespace tilecast
