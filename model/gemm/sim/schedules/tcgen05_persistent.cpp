// kernels/gemm/tcgen05_persistent.cu: a loop over tiles; prologue and epilogue of neighbouring
// tiles do not overlap. In kernels/gemm/tcgen05_pipelined.cu, with one tile per CTA, the loop has
// one iteration.
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/tcgen05_loop.h"

namespace tilecast {

Process tcgen05_persistent(Cta& cta, i32 warpgroup) {
  Tcgen05Warpgroup self(cta, warpgroup);
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    const TileCoord tile = cta.tile_at(t);
    self.wg.ready += cta.costs().tile.find;
    if (self.issues()) {
      co_await run_tcgen05_tile(cta, self, tile);
    }
    co_await store_accumulator(cta, self.wg, tile, self.stored);
  }
  cta.finish(self.wg);
}

}  // namespace tilecast
