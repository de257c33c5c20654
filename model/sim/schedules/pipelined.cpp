// kernels/gemm/pipelined.cu: one tile per CTA.
#include "model/sim/kernel/epilogue.h"
#include "model/sim/schedules/roles.h"
#include "model/sim/schedules/unspecialized.h"

namespace tilecast {

Process pipelined(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const TileCoord tile = cta.tile_at(cta.first_tile());
  wg.ready += cta.costs().tile.find;
  TileSpan span{};
  co_await run_tile(cta, wg, tile, span);
  co_await store_tile(cta, wg, tile, span);
  cta.finish(wg);
}

}  // namespace tilecast
