// Simulates the reduction of a tile whose K blocks are divided among several workers, as in
// kernels/device/reduction.cuh. Each warpgroup reduces its part of the tile.
//
// Not modelled: the named barriers of a warpgroup. Checked by: split_k_test.cpp,
// random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// A warpgroup's part of a piece of a shared tile, and its timeline span so far.
struct SharedPart {
  WorkPiece piece;
  TileCoord tile;  // CTA tile
  TileSpan& span;
};

/// Passes on the partial sum of a piece that does not contain the end of K.
Process hand_on(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// Adds the other pieces' sum to the accumulators of the piece that contains the end of K.
Process take_over(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// Ends a multiplied piece: reduces the sums of a shared tile, and stores C if the piece owns the
/// tile or is the whole tile.
Process finish_piece(Cta& cta, Warpgroup& warpgroup, SharedPart part);
/// Resets sums to zero after they were read, by idle warps of the producer warpgroup; atomic
/// reduction only.
Process clear_sums(Cta& cta);

}  // namespace tilecast
