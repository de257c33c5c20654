// When one role of a CTA worked on one tile, or piece of one: a timeline, simulated or measured, is
// a list of these.
#pragma once

#include <optional>

#include "model/base/picoseconds.h"

namespace tilecast {

enum class TileRole : i32 {
  kMultiplies,  // a consumer warpgroup, or any of a kernel without producer
  kLoads,       // the producer
};

struct TileSpan {
  /// Of a piece of a tile, between `multiplied` and `stored`.
  struct Reduction {
    Picoseconds waited;   // the partial sums that it needs are there
    Picoseconds reduced;  // it holds the sum of all; `stored` where it hands its own sum on
  };

  i32 sm, cta, warpgroup;      // cta: its place on the SM, whose CTAs follow one another
  u32 tile_m, tile_n;          // in CTA tiles
  Picoseconds begin;           // ready for the first K block; a producer, for its first load
  Picoseconds first_operands;  // the first K block is there; a producer: the first stage is free
  Picoseconds multiplied;      // the last wgmma is complete; not of a producer
  Picoseconds stored;          // the last store is issued; a producer: the last load
  TileRole role = TileRole::kMultiplies;
  i32 k_begin = 0, k_end = 0;  // K blocks; 0 and 0 where they are not told
  std::optional<Reduction> reduction = {};
};

}  // namespace tilecast
