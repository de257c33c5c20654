// The sum of a tile whose K blocks several workers share, as kernels/device/reduction.cuh makes it:
// each warpgroup for its part of the tile.
//
// Leaves out: the named barriers of a warpgroup.
// Checked by: split_k_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// One warpgroup's part of a piece of a tile that is shared; its span so far.
struct SharedPart {
  WorkPiece piece;
  TileCoord tile;  // of the CTA
  TileSpan& span;
};

/// A piece that does not end K leaves its partial sum to the others of its tile.
Process hand_on(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// The piece that ends K takes the sum of the others into its accumulators.
Process take_over(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// `spread`, all of it, C included.
Process reduce_spread(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// Of `atomic`, by the producer warpgroup's idle warps: sums taken over are zero again.
Process clear_sums(Cta& cta);

}  // namespace tilecast
