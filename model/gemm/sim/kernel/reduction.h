// Reduction of a tile whose K blocks several workers share, as in kernels/device/reduction.cuh:
// each warpgroup reduces its part of the tile.
//
// Leaves out: the named barriers of a warpgroup.
// Checked by: split_k_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// One warpgroup's part of a piece of a shared tile, and its span so far.
struct SharedPart {
  WorkPiece piece;
  TileCoord tile;  // CTA tile
  TileSpan& span;
};

/// A piece that does not end K hands its partial sum on.
Process hand_on(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// The piece that ends K adds the other pieces' sum to its accumulators.
Process take_over(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// The whole distributed reduction, including the stores to C.
Process reduce_spread(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// For atomic reduction: idle warps of the producer warpgroup reset sums to zero after they were
/// taken over.
Process clear_sums(Cta& cta);

}  // namespace tilecast
