// Writes a timeline as Chrome trace JSON; open it in https://ui.perfetto.dev or chrome://tracing.
// Simulated and measured timelines share this writer, so the two can be compared.
//
// An SM is a process and a role of a CTA is a thread: first the producer, then the warpgroups. A
// tile has three spans: load (wait for the first K block), multiply, store. A producer's tile has
// two: wait (for a free stage) and issue (of all its loads). A piece of a split tile adds await
// (for the other pieces' partial sums) and reduce before its store, and has no store if it passes
// its partial sum on. Ranges of K blocks are args. CTAs are numbered per SM, in order of `cta`.
#pragma once

#include <string>
#include <vector>

#include "model/base/tile_span.h"

namespace tilecast {

std::string chrome_trace(const std::vector<TileSpan>& tiles);

/// Calls visit(name, from, to) for each part of a role's work on a tile.
void for_each_part(const TileSpan& tile, const auto& visit) {
  if (tile.role == TileRole::kLoads) {
    visit("wait", tile.begin, tile.first_operands);
    visit("issue", tile.first_operands, tile.stored);
    return;
  }
  visit("load", tile.begin, tile.first_operands);
  visit("multiply", tile.first_operands, tile.multiplied);
  Picoseconds done = tile.multiplied;
  if (tile.reduction) {
    visit("await", done, tile.reduction->waited);
    visit("reduce", tile.reduction->waited, tile.reduction->reduced);
    done = tile.reduction->reduced;
  }
  if (done < tile.stored) {
    visit("store", done, tile.stored);
  }
}

}  // namespace tilecast
