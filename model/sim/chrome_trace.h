// A timeline as Chrome trace JSON: open it in chrome://tracing or https://ui.perfetto.dev. One row
// for each warpgroup of each CTA slot, under its SM; a tile is three spans: load (waiting for the
// first K block), multiply, store.
#pragma once

#include <string>
#include <vector>

#include "model/sim/tile_span.h"

namespace tilecast {

std::string chrome_trace(const std::vector<TileSpan>& tiles);

}  // namespace tilecast
