// What producers of several schedules share.
#pragma once

#include "model/sim/kernel/cta.h"

namespace tilecast {

/// Notes the loads of one tile, or piece, where a timeline was asked for; `span` up to the first
/// free stage.
void record_loads(Cta& cta, const Warpgroup& producer, TileCoord tile, TileSpan span);

}  // namespace tilecast
