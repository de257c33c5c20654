// What producers of several schedules share.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Loads K blocks [begin, end) of a tile, and its residual where that comes through the ring.
/// `span`: for a timeline, with the K blocks of a piece.
Process load_k_blocks(Cta& cta, Warpgroup& producer, TileCoord tile, u32 begin, u32 end,
                      TileSpan span);

}  // namespace tilecast
