// kernels/device/producer.cuh: one thread keeps the ring of stages full, across tile boundaries.
#include "model/gemm/sim/schedules/producer.h"

#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {

Process load_k_blocks(Cta& cta, Warpgroup& wg, TileCoord tile, u32 begin, u32 end, TileSpan span) {
  span.begin = wg.ready;
  for (u32 k_block = begin; k_block < end; ++k_block) {
    co_await cta.wait_empty(wg);
    if (k_block == begin) {
      span.first_operands = cta.engine().now();
    }
    cta.load_k_block(wg, tile, k_block);
    if (k_block == begin) {
      cta.fetch_residual(wg);
    }
  }
  for (i32 stage = 0; stage < cta.costs().residual.stages; ++stage) {
    co_await cta.wait_empty(wg);
    cta.load_residual(wg, tile, stage);
  }
  span.multiplied = wg.ready;
  span.role = TileRole::kLoads;
  record_span(cta, wg, tile, span);
}

Process produce(Cta& cta) {
  Warpgroup wg{.index = kProducerRole, .ready = cta.engine().now()};
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t)) {
    wg.ready += cta.costs().tile.find;
    co_await load_k_blocks(cta, wg, cta.tile_at(t), 0, cta.k_blocks_of(t), {});
  }
  cta.finish(wg);
}

}  // namespace tilecast
