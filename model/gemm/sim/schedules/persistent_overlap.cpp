// kernels/gemm/persistent_overlap.cu: loads run ahead across tile boundaries. If C borrows B
// stages, the last `inflight` loads at a tile's end are delayed until its stores have been read.
#include <algorithm>

#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/loads_ahead.h"
#include "model/gemm/sim/schedules/multiply.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/unspecialized.h"

namespace tilecast {
Process persistent_overlap(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  LoadsAhead ahead{cta.first_tile()};
  const u32 inflight = static_cast<u32>(cta.inflight());
  const bool borrows = cta.tiling().c_slots == 0;
  const i32 first_loads = cta.tiling().stages - (borrows ? cta.inflight() : 0);
  for (i32 i = 0; loads(wg) && i < first_loads && ahead.left(cta); ++i) {
    co_await cta.wait_empty(wg);
    ahead.load(cta, wg);
  }
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    wg.ready += cta.costs().tile.find;
    TileSpan span{.begin = wg.ready};
    fetch_residual(cta, wg, cta.k_blocks());
    for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
      co_await cta.wait_full(wg);
      if (k_block == 0) {
        span.first_operands = cta.engine().now() - cta.costs().mma.turn;
      }
      cta.mma_k_block(wg);
      cta.wait_mma(wg, cta.inflight());
      if (k_block >= inflight) {
        cta.release_stage(wg);
      }
      if (borrows && loads(wg) && k_block == 0) {
        cta.note(wg, {.kind = StepKind::kWaitStoresRead});
        wg.ready = std::max(wg.ready, wg.stores.read);
      }
      if (loads(wg) && (borrows || k_block >= inflight) && ahead.left(cta)) {
        co_await cta.wait_empty(wg);
        ahead.load(cta, wg);
      }
    }
    drain(cta, wg, left_in_flight(cta, cta.k_blocks()));
    for (i32 i = 0;
         !borrows && loads(wg) && i < left_in_flight(cta, cta.k_blocks()) && ahead.left(cta); ++i) {
      co_await cta.wait_empty(wg);
      ahead.load(cta, wg);
    }
    co_await store_tile(cta, wg, cta.tile_at(t), span);
  }
  cta.finish(wg);
}

}  // namespace tilecast
