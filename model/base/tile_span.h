// Records when one role of a CTA worked on one tile or piece of a tile. A timeline, simulated or
// measured, is a list of these.
#pragma once

#include <optional>

#include "model/base/picoseconds.h"

namespace tilecast {

enum class TileRole : i32 {
  kMultiplies,  // a consumer warpgroup, or any warpgroup of a kernel without producer
  kLoads,       // the producer
};

struct TileSpan {
  /// Reduction of a piece of a split tile, between `multiplied` and `stored`.
  struct Reduction {
    Picoseconds waited;   // all partial sums it needs have arrived
    Picoseconds reduced;  // the sum is complete; equals `stored` if the piece passes its sum on
  };

  i32 sm, cta, warpgroup;      // cta: index on the SM, counting successive CTAs
  u32 tile_m, tile_n;          // position in units of CTA tiles
  Picoseconds begin;           // ready for the first K block; producer: ready for its first load
  Picoseconds first_operands;  // first K block has arrived; producer: first stage is free
  Picoseconds multiplied;      // last wgmma is complete; unused for a producer
  Picoseconds stored;          // last store is issued; producer: last load is issued
  TileRole role = TileRole::kMultiplies;
  i32 k_begin = 0, k_end = 0;  // range of K blocks; 0, 0 if unknown
  std::optional<Reduction> reduction = {};
};

}  // namespace tilecast
