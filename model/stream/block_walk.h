// Defines which blocks of a matrix each CTA of a memory-bound kernel visits, in what order. Blocks
// are numbered row-major, band by band; a band is the blocks with the same rows. Shared by kernels
// and model. With tickets, only a worker's first blocks, one per stage, are known in advance: they
// follow the strided walk, and later blocks are drawn in order.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"

namespace tilecast {

enum class BlockOrder : i32 {
  kBands,    // one CTA per band, from left to right
  kBlocks,   // one CTA per block, in the hardware's order
  kStrided,  // resident CTAs with blocks w, w + workers, ...: together they sweep memory
             // together
  kChunked,  // resident CTAs, each with a contiguous run of blocks
  kBounded,  // as kBlocks, with the number of resident CTAs limited
  kTickets,  // resident CTAs, each of which draws its next block's number when it has a free stage
};

struct BlockCoord {
  u32 band, column;

  constexpr bool operator==(const BlockCoord&) const = default;
};

struct BlockWalk {
  u32 blocks, blocks_per_band;
  u32 workers;
  u32 apart;  // distance between the first blocks of adjacent workers
  u32 step;   // distance between one worker's blocks
  // end of a worker's range, relative to its first block; blocks from `blocks` on do not exist
  u32 span;

  TILECAST_HD constexpr u32 first(u32 worker) const { return worker * apart; }
  TILECAST_HD constexpr u32 next(u32 block) const { return block + step; }
  TILECAST_HD constexpr u32 end(u32 worker) const {
    const u32 from = first(worker);
    return from >= blocks ? from : from + min_of(span, blocks - from);
  }
  /// Number of blocks of this worker.
  TILECAST_HD constexpr u32 count(u32 worker) const {
    return ceil_div(end(worker) - first(worker), step);
  }
  TILECAST_HD constexpr BlockCoord coord(u32 block) const {
    return {block / blocks_per_band, block % blocks_per_band};
  }
};

/// `resident`: CTAs that fit on the GPU at once, at least 1; only orders with resident CTAs use it.
TILECAST_HD constexpr BlockWalk make_block_walk(BlockOrder order, u32 bands, u32 blocks_per_band,
                                                u32 resident) {
  const u32 blocks = bands * blocks_per_band;
  BlockWalk walk{blocks, blocks_per_band, bands, blocks_per_band, 1, blocks_per_band};
  if (order == BlockOrder::kBlocks || order == BlockOrder::kBounded) {
    walk.workers = blocks;
    walk.apart = walk.span = 1;
  } else if (order == BlockOrder::kStrided || order == BlockOrder::kTickets) {
    walk.workers = walk.step = min_of(resident, blocks);
    walk.apart = 1;
    walk.span = blocks;
  } else if (order == BlockOrder::kChunked) {
    walk.apart = walk.span = ceil_div(blocks, min_of(resident, blocks));
    walk.workers = ceil_div(blocks, walk.span);
  }
  return walk;
}

}  // namespace tilecast
