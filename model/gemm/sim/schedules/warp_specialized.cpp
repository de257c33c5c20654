// kernels/gemm/warp_specialized.cu: consumer warpgroups share each tile; the producer's loads run
// ahead into the next one.
#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/multiply.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {

Process warp_specialized(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    TileSpan span{};
    const u32 k_blocks = cta.k_blocks_of(t);
    co_await multiply_stages(cta, wg, span, k_blocks);
    drain(cta, wg, left_in_flight(cta, k_blocks));
    wg.ready += cta.costs().tile.find;
    co_await store_tile(cta, wg, cta.tile_at(t), span);
  }
  while (wg.stores.chunks_waiting > 0) {
    co_await store_waiting(cta, wg);
  }
  cta.finish(wg);
}

}  // namespace tilecast
