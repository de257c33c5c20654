// kernels/device/unspecialized_loop.cuh: every warpgroup multiplies, and the first one also loads.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

inline bool loads(const Warpgroup& warpgroup) { return warpgroup.index == 0; }

/// Runs a tile without loads ahead: its first loads fill the ring, later ones follow released
/// stages.
Process run_tile(Cta& cta, Warpgroup& warpgroup, TileCoord tile, TileSpan& span);

}  // namespace tilecast
