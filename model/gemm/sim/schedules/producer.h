// Code shared by producers of several schedules.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Loads K blocks [begin, end) of a tile, and its residual if that comes through the stages.
/// `span`: timeline entry, with the K blocks of a piece.
Process load_k_blocks(Cta& cta, Warpgroup& producer, TileCoord tile, u32 begin, u32 end,
                      TileSpan span);

}  // namespace tilecast
