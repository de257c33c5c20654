// The time of a tile beyond its blocks.
//
// Results go in chunks to slots in shared memory, each read from there by a bulk store. Warpgroups
// of a CTA stage and store at the same time, through one port and one engine, and all SMs through
// the input of L2. With S slots for C chunks, a slot is needed again while the store before still
// reads it:
//   staging = set-up + C chunks
//   waiting = the longer of (ceil(C / S) - 1) (store read - (S - 1) chunks) and
//             (C - S) (store read - a chunk), where positive
// With a slot for every chunk, or stages borrowed for all of them, nothing waits. Threads that
// store themselves wait for each chunk.
//
// Exposed between two tiles of one slot:
//   one tile per CTA     the end, its last stores read, the next CTA's start, its first load
//   CTAs that loop       the end, the first load
//   loads that run       the end alone; the ring fills meanwhile, so that blocks bound by their
//   ahead                loads catch up by the stages that wait for them; and warpgroups that share
//                        a tile drift apart, so that one's steps run under another's end
//   ends that overlap    nothing while the end is shorter than the other tile's blocks
//   deferred chunks      packing; chunks without registers to wait in; and of the chunks that
//                        wait, the excess of each over one of the next tile's blocks,
//                        and their bytes through the port that steps read operands from
// and the completion of the last step in each, and finding the tile.
// Leaves out: stores that contend with loads.
// Checked by: closed_form_test.cpp; committed H200 rows (validate).
#pragma once

#include "model/form/block.h"

namespace tilecast {

/// The parts of a slot's time that are not blocks.
struct TileEnds {
  Cycles first_load;  // before the first block can begin; in order, each block counts its loads
  Cycles between;  // from the last block of a tile to the first of the next, beyond the time that
                   // blocks take anyway
  Cycles after_last;  // from the last block of the last tile to its last store issued
  Cycles last_store;  // from there to its source read: the SM's last before its CTA can end
};

TileEnds tile_ends(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const LoadTimes& loads,
                   const BlockTime& block, const Work& work);

}  // namespace tilecast
