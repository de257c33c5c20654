// kernels/gemm/tcgen05_persistent_overlap.cu: the issuing warp's loads run ahead across tile
// boundaries. If C borrows B stages, the loads into stages released at a tile's end are delayed
// until all warps' stores have been read.
#include <algorithm>

#include "model/gemm/sim/schedules/loads_ahead.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/tcgen05_loop.h"

namespace tilecast {
namespace {

/// Issues the MMAs of a tile and the loads that follow them; for the issuing warpgroup. `index` is
/// the tile's index among the worker's.
Process multiply_and_load(Cta& cta, Tcgen05Warpgroup& self, LoadsAhead& ahead, u32 index) {
  Warpgroup& wg = self.wg;
  const u32 lag = static_cast<u32>(mma_lag(cta));
  const bool borrows = cta.tiling().c_slots == 0;
  TileSpan span{.begin = wg.ready};
  co_await wait_accumulator(cta, wg, self.issued);
  for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
    co_await wait_operands(cta, wg);
    if (k_block == 0) {
      span.first_operands = cta.engine().now();
    }
    co_await wait_turn(cta, wg, k_block);
    issue_k_block(cta, wg);
    if (k_block >= lag) {
      co_await wait_oldest(cta, wg);
    }
    if (!borrows && k_block < lag) {
      continue;
    }
    if (borrows && k_block == 0 && index > 0) {
      co_await cta.tcgen05().stores_read.wait(index - 1, cta.engine().now(), {});
    }
    if (ahead.left(cta)) {
      co_await cta.wait_empty(wg);
      ahead.load(cta, wg);
    }
  }
  hand_over_accumulator(cta, wg, self.issued, span);
  const u32 unloaded = borrows ? 0 : std::min(lag, cta.k_blocks());
  for (u32 i = 0; i < unloaded && ahead.left(cta); ++i) {
    co_await cta.wait_empty(wg);
    ahead.load(cta, wg);
  }
}

}  // namespace

Process tcgen05_persistent_overlap(Cta& cta, i32 warpgroup) {
  Tcgen05Warpgroup self(cta, warpgroup);
  LoadsAhead ahead{cta.first_tile()};
  const bool borrows = cta.tiling().c_slots == 0;
  const i32 first_loads = cta.tiling().stages - (borrows ? mma_lag(cta) : 0);
  for (i32 i = 0; self.issues() && i < first_loads && ahead.left(cta); ++i) {
    co_await cta.wait_empty(self.wg);
    ahead.load(cta, self.wg);
  }
  u32 index = 0;
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t), ++index) {
    if (self.issues()) {
      co_await multiply_and_load(cta, self, ahead, index);
    }
    co_await store_accumulator(cta, self.wg, cta.tile_at(t), self.stored);
    if (borrows) {
      // Every warp waits for its stores, including the issuing one.
      self.wg.ready = std::max(self.wg.ready, self.wg.stores.read);
      cta.tcgen05().stores_read.arrive(self.wg.stores.read + cta.costs().tensor_memory.store_wait);
    }
  }
  cta.finish(self.wg);
}

}  // namespace tilecast
