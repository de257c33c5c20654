// kernels/gemm/tcgen05_pipelined.cu: one tile per CTA or pair of CTAs.
#include "model/sim/schedules/roles.h"
#include "model/sim/schedules/tcgen05_loop.h"

namespace tilecast {

Process tcgen05_pipelined(Cta& cta, i32 warpgroup) {
  Tcgen05Warpgroup self(cta, warpgroup);
  const TileCoord tile = cta.tile_at(cta.first_tile());
  if (self.issues()) {
    co_await run_tcgen05_tile(cta, self, tile);
  }
  co_await store_accumulator(cta, self.wg, tile, self.stored);
  cta.finish(self.wg);
}

}  // namespace tilecast
