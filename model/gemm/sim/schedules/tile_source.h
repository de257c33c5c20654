// kernels/device/tile_source.cuh: provides the next tile of a role, from the scheduler or from
// cluster launch control, by which running CTAs take over the tiles of CTAs not yet launched.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// One role's walk over the tiles of its CTA.
class TileSource {
 public:
  explicit TileSource(Cta& cta) : cta_(cta), linear_(cta.first_tile()) {}

  bool has_tile() const { return linear_ < (takes_over() ? kNoTile : cta_.end_tile()); }
  u32 linear() const { return linear_; }
  TileCoord tile() const { return cta_.tile_at(linear_); }
  /// Advances to the role's next tile, and waits for the response that names it.
  Process next(Warpgroup& role);

 private:
  bool takes_over() const { return cta_.kernel().config.grid == Grid::kTakeover; }

  Cta& cta_;
  u32 linear_;
  Turn answer_;
};

/// Requests tiles for the CTAs of the group until none is left.
Process ask_for_tiles(Cta& cta);

}  // namespace tilecast
