// kernels/gemm/blocked_pipelined.cu: two buffers. Each load is awaited right after it is issued, so
// it overlaps only the previous K block's wgmmas.
#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/unspecialized.h"

namespace tilecast {

Process blocked_pipelined(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const TileCoord tile = cta.tile_at(cta.first_tile());
  wg.ready += cta.costs().tile.find;
  TileSpan span{.begin = wg.ready};
  for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
    if (loads(wg)) {
      co_await cta.wait_empty(wg);
      cta.load_k_block(wg, tile, k_block);
    }
    co_await cta.wait_loaded(wg);
    wg.ready = cta.engine().now();
    if (k_block == 0) {
      span.first_operands = wg.ready;
    } else {
      cta.wait_mma(wg, 0);  // the previous K block's wgmmas, which overlapped the load
      cta.release_stage(wg);
    }
    co_await cta.engine().until(wg.ready + cta.costs().mma.turn);
    cta.mma_k_block(wg);
  }
  cta.wait_mma(wg, 0);
  co_await store_tile(cta, wg, tile, span);
  cta.finish(wg);
}

}  // namespace tilecast
