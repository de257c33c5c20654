// When one role of a CTA worked on one tile: a timeline, simulated or measured, is a list of these.
#pragma once

#include "model/base/picoseconds.h"

namespace tilecast {

enum class TileRole : i32 {
  kMultiplies,  // a consumer warpgroup, or any of a kernel without producer
  kLoads,       // the producer
};

struct TileSpan {
  i32 sm, cta, warpgroup;      // cta: its place on the SM, whose CTAs follow one another
  u32 tile_m, tile_n;          // in CTA tiles
  Picoseconds begin;           // ready for the first K block; a producer, for its first load
  Picoseconds first_operands;  // the first K block is there; a producer: the first stage is free
  Picoseconds multiplied;      // the last wgmma is complete; not of a producer
  Picoseconds stored;          // the last store is issued; a producer: the last load
  TileRole role = TileRole::kMultiplies;
};

}  // namespace tilecast
