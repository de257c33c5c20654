// Computes the time of a tile beyond its blocks.
//
// Results go in chunks to slots in shared memory, and each slot is read by a bulk store. The
// warpgroups of a CTA share one port and one copy engine, and all SMs share L2's input. With S
// slots for C chunks, a slot is needed again while the previous store still reads it:
//   staging = set-up + C chunks
//   waiting = the longer of (ceil(C / S) - 1) (store read - (S - 1) chunks) and
//             (C - S) (store read - a chunk), if positive
// With a slot per chunk, or borrowed stages for all of them, nothing waits. Threads that store
// themselves wait for each chunk.
//
// Exposed between two tiles of one slot:
//   one tile per CTA     the epilogue, its last stores read, the next CTA's start, its first load
//   persistent CTAs      the epilogue, the first load
//   loads that run       only the epilogue; the ring fills meanwhile, so load-bound blocks catch
//   ahead                up by the stages that are ready; and warpgroups that share a tile drift
//                        apart, so that one's steps run during another's epilogue
//   overlapped epilogue  nothing while the epilogue is shorter than the other tile's blocks
//   deferred chunks      packing; chunks without registers to wait in; for each chunk that waits,
//                        its excess over one block of the next tile, and its bytes through the
//                        port that steps read operands from
// and in each case the completion of the last step and finding the next tile.
// Not modelled: contention between stores and loads.
// Checked by: closed_form_test.cpp; committed H200 measurements (validate).
#pragma once

#include "model/form/block.h"

namespace tilecast {

/// Times of a CTA slot other than its blocks.
struct TileEnds {
  Cycles first_load;  // time before the first block can begin; for Flow::kInOrder each block
                      // includes its loads
  Cycles between;     // time from the last block of a tile to the first of the next, beyond the
                      // time of the blocks
  Cycles after_last;  // time from the last block of the last tile to the issue of its last store
  Cycles last_store;  // time until the last store's source is read; until then the CTA cannot end
};

TileEnds tile_ends(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const LoadTimes& loads,
                   const BlockTime& block, const Work& work);

}  // namespace tilecast
