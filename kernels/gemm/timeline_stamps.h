// What a kernel that is compiled with TILECAST_TIMELINE writes down, read back by the host.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// One tile of one role of one CTA. Stamps are %clock, the low half of the SM's clock64.
struct alignas(16) TileStamps {
  u32 tile_m, tile_n;  // in CTA tiles; ~0 where nothing was written
  u32 begin;           // ready for the first K block
  u32 unused;
  u32 first_operands;  // the first K block is there; of a producer: its first stage is free
  u32 multiplied;      // the last wgmma is complete; not of a producer
  u32 stored;          // the stores are issued; of a producer: the last load is
  u32 unused_too;
};

/// clock64 and globaltimer, read together early and late in a CTA: what ties its SM's clock to
/// those of the others.
struct CtaStamps {
  u64 early_cycles, early_ns, late_cycles, late_ns;
  u32 entry;  // %clock at the first instruction
  u32 smid;
};

/// Where the kernel writes: CTA i's j-th tile of role r at tiles[(i * tiles_per_cta + j) * roles +
/// r]. Roles are the consumer warpgroups, then the producer if there is one.
struct TimelineBuffers {
  CtaStamps* ctas;
  TileStamps* tiles;
  u32 tiles_per_cta;
};

}  // namespace tilecast
