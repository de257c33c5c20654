// kernels/gemm/blocked.cu and small_mma.cu: one buffer. Load, wait, wgmma, wait. small_mma runs a
// single K block, whose stage is not reused, and may take A from registers (then wgmma reads fewer
// bytes).
#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/unspecialized.h"

namespace tilecast {

Process blocked(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const TileCoord tile = cta.tile_at(cta.first_tile());
  wg.ready += cta.costs().tile.find;
  const bool one_k_block = traits_of(cta.kernel().config.schedule).one_k_block;
  TileSpan span{.begin = wg.ready};
  for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
    if (loads(wg)) {
      co_await cta.wait_empty(wg);
      cta.load_k_block(wg, tile, k_block);
    }
    co_await cta.wait_full(wg);
    if (k_block == 0) {
      span.first_operands = cta.engine().now() - cta.costs().mma.turn;
    }
    cta.mma_k_block(wg);
    cta.wait_mma(wg, 0);
    if (!one_k_block) {
      cta.release_stage(wg);
    }
  }
  co_await store_tile(cta, wg, tile, span);
  cta.finish(wg);
}

Process small_mma(Cta& cta, i32 warpgroup) { return blocked(cta, warpgroup); }

}  // namespace tilecast
