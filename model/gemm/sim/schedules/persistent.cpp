// kernels/gemm/persistent.cu: a loop over tiles; prologue and epilogue of neighbouring tiles do not
// overlap. In kernels/gemm/pipelined.cu, with one tile per CTA, the loop has one iteration.
#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/unspecialized.h"

namespace tilecast {

Process persistent(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    const TileCoord tile = cta.tile_at(t);
    wg.ready += cta.costs().tile.find;
    TileSpan span{};
    co_await run_tile(cta, wg, tile, span);
    co_await store_tile(cta, wg, tile, span);
  }
  cta.finish(wg);
}

}  // namespace tilecast
