// Output of a kernel that is compiled with a timeline, read back by the host.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// Times of one tile or piece, for one role of one CTA, in %clock, the low half of the SM's
/// clock64; ~0 if the event did not occur.
struct alignas(16) TileStamps {
  u32 tile_m, tile_n;  // position in CTA tiles; ~0 if no stamps were recorded
  i32 k_begin, k_end;  // range of K blocks
  u32 begin;           // ready for the first K block
  u32 first_operands;  // the first K block has arrived; producer: its first stage is free
  u32 multiplied;      // the last wgmma is complete; not for producers
  u32 waited;          // for a piece of a tile: the partial sums that it needs are complete
  u32 reduced;         // for the piece that stores C: the sum over all pieces is complete
  u32 stored;          // the last store is issued; producer: the last load is issued
  u32 unused[2];
};

/// Low halves of clock64 and globaltimer, read one after the other.
struct alignas(8) TimelineReading {
  u32 cycles, ns;
};

struct TimelineCta {
  u32 entry;  // %clock at the first instruction
  u32 smid;
};

/// Buffers of the kernel: CTA i's j-th tile of role r at tiles[(i * tiles_per_cta + j) * roles +
/// r], with a reading of both clocks at its start in readings[(i * (tiles_per_cta + 1) + j) * roles
/// + r], and one more after a warpgroup's last tile. Roles are the consumer warpgroups, then the
/// producer if there is one.
struct TimelineBuffers {
  TimelineCta* ctas;
  TileStamps* tiles;
  TimelineReading* readings;
  u32 tiles_per_cta;
};

}  // namespace tilecast
