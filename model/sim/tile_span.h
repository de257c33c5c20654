// When one warpgroup worked on one tile: a timeline is a list of these.
#pragma once

#include "model/sim/sim_time.h"

namespace tilecast {

struct TileSpan {
  i32 sm, cta, warpgroup;  // cta: its slot on the chip
  u32 tile_m, tile_n;      // in CTA tiles
  SimTime begin;           // ready for the first K block
  SimTime first_operands;  // the first K block is there
  SimTime multiplied;      // the last wgmma is complete
  SimTime stored;          // the last store is issued
};

}  // namespace tilecast
