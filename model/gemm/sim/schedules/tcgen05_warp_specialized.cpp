// kernels/gemm/tcgen05_warp_specialized.cu: in each CTA one warp loads and four or eight store; the
// leader of a pair also has one that issues and, with tile takeover, one that requests tiles. With
// two accumulators the next tile's MMAs overlap this tile's epilogue.
#include "model/gemm/sim/kernel/tcgen05_epilogue.h"
#include "model/gemm/sim/kernel/tcgen05_steps.h"
#include "model/gemm/sim/schedules/producer.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/tile_source.h"

namespace tilecast {

Process load_tiles(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  TileSource tiles(cta);
  while (tiles.has_tile()) {
    co_await load_k_blocks(cta, wg, tiles.tile(), 0, cta.k_blocks(), {});
    co_await tiles.next(wg);
  }
  cta.finish(wg);
}

Process issue_tile(Cta& cta, Warpgroup& wg, Turn& to, TileSpan span) {
  const u32 lag = static_cast<u32>(mma_lag(cta));
  span.begin = wg.ready;
  co_await wait_accumulator(cta, wg, to);
  wg.ready = cta.engine().now();
  const u32 k_blocks = static_cast<u32>(span.k_end - span.k_begin);
  for (u32 k_block = 0; k_block < k_blocks; ++k_block) {
    co_await wait_operands(cta, wg);
    if (k_block == 0) {
      span.first_operands = cta.engine().now();
    }
    co_await wait_turn(cta, wg, k_block);
    issue_k_block(cta, wg);
    if (k_block >= lag) {
      co_await wait_oldest(cta, wg);
      wg.ready = cta.engine().now();
    }
  }
  hand_over_accumulator(cta, wg, to, span);
}

Process issue_tiles(Cta& cta) {
  Warpgroup wg{.ready = cta.engine().now()};
  Turn to;
  TileSource tiles(cta);
  while (cta.leads() && tiles.has_tile()) {
    co_await issue_tile(cta, wg, to, {.k_end = static_cast<i32>(cta.k_blocks())});
    co_await tiles.next(wg);
  }
  cta.finish(wg);
}

Process store_tiles(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  Turn from;
  TileSource tiles(cta);
  while (tiles.has_tile()) {
    co_await store_accumulator(cta, wg, tiles.tile(), from);
    co_await tiles.next(wg);
  }
  cta.finish(wg);
}

}  // namespace tilecast
