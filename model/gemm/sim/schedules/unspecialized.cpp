#include "model/gemm/sim/schedules/unspecialized.h"

#include <algorithm>

#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/multiply.h"

namespace tilecast {

Process run_tile(Cta& cta, Warpgroup& wg, TileCoord tile, TileSpan& span) {
  const u32 stages = static_cast<u32>(cta.tiling().stages);
  const u32 inflight = static_cast<u32>(cta.inflight());
  span.begin = wg.ready;
  fetch_residual(cta, wg, cta.k_blocks());
  if (loads(wg)) {
    for (u32 k_block = 0; k_block < std::min(stages, cta.k_blocks()); ++k_block) {
      co_await cta.wait_empty(wg);
      cta.load_k_block(wg, tile, k_block);
    }
  }
  for (u32 k_block = 0; k_block < cta.k_blocks(); ++k_block) {
    co_await cta.wait_full(wg);
    if (k_block == 0) {
      span.first_operands = cta.engine().now() - cta.costs().mma.turn;
    }
    cta.mma_k_block(wg);
    cta.wait_mma(wg, cta.inflight());
    if (k_block >= inflight) {
      cta.release_stage(wg);
      const u32 next = k_block - inflight + stages;
      if (loads(wg) && next < cta.k_blocks()) {
        co_await cta.wait_empty(wg);
        cta.load_k_block(wg, tile, next);
      }
    }
  }
  drain(cta, wg, left_in_flight(cta, cta.k_blocks()));
}

}  // namespace tilecast
