#include "model/gemm/sim/schedules/tcgen05_loop.h"

#include <algorithm>

namespace tilecast {

Process run_tcgen05_tile(Cta& cta, Tcgen05Warpgroup& self, TileCoord tile) {
  Warpgroup& wg = self.wg;
  const u32 stages = static_cast<u32>(cta.tiling().stages);
  const u32 lag = static_cast<u32>(mma_lag(cta));
  TileSpan span{.begin = wg.ready};
  for (u32 k_block = 0; k_block < std::min(stages, cta.k_blocks()); ++k_block) {
    co_await cta.wait_empty(wg);
    cta.load_k_block(wg, tile, k_block);
  }
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
      const u32 next = k_block - lag + stages;
      if (next < cta.k_blocks()) {
        co_await cta.wait_empty(wg);
        cta.load_k_block(wg, tile, next);
      }
    }
  }
  hand_over_accumulator(cta, wg, self.issued, span);
}

}  // namespace tilecast
