// kernels/gemm/multistage.cu and multistage_split_k.cu: every warpgroup copies its share of each K
// block, up to all stages but one ahead, and multiplies. The first warpgroup's copies represent
// all. One barrier per K block makes the next block visible and frees the stage of the previous
// block.
#include <algorithm>

#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/kernel/reduction.h"
#include "model/gemm/sim/schedules/roles.h"
#include "model/gemm/sim/schedules/unspecialized.h"

namespace tilecast {
namespace {

/// Follows kernels/device/mma_sync_loop.cuh.
Process multiply_by_threads(Cta& cta, Warpgroup& wg, TileCoord tile, TileSpan& span, u32 k_begin,
                            u32 k_end) {
  span.begin = wg.ready;
  const u32 ahead = static_cast<u32>(cta.tiling().stages) - 1;
  const auto copy = [&](u32 k_block) {
    if (loads(wg)) {
      cta.load_k_block(wg, tile, k_block);
    } else {
      wg.load.advance(cta.tiling().stages);
    }
  };
  for (u32 k_block = k_begin; k_block < std::min(k_begin + ahead, k_end); ++k_block) {
    co_await cta.wait_empty(wg);
    copy(k_block);
  }
  fetch_residual(cta, wg, k_end - k_begin);
  for (u32 k_block = k_begin; k_block < k_end; ++k_block) {
    co_await cta.wait_full(wg);
    wg.ready = cta.engine().now();  // the barrier that ends the turn also frees a stage
    if (k_block == k_begin) {
      span.first_operands = cta.engine().now() - cta.costs().mma.turn;
    } else {
      cta.release_stage(wg);
    }
    const SimTime read = cta.sm().loads.serve(cta.engine().now(), cta.costs().mma.operands);
    if (k_block + ahead < k_end) {  // once every warpgroup has passed the barrier
      co_await cta.wait_empty(wg);
      copy(k_block + ahead);
    }
    cta.mma_k_block(wg);
    wg.ready = later(wg.ready, read);
    cta.wait_mma(wg, 0);
  }
  cta.release_stage(wg);
}

}  // namespace

Process multistage(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const TileCoord tile = cta.tile_at(cta.first_tile());
  wg.ready += cta.costs().tile.find;
  TileSpan span{};
  co_await multiply_by_threads(cta, wg, tile, span, 0, cta.k_blocks());
  co_await store_tile(cta, wg, tile, span);
  cta.finish(wg);
}

Process multistage_split_k(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = warpgroup, .ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  for (WorkPiece p = cta.first_piece(); work.valid(p); p = cta.next_piece(p)) {
    const TileCoord tile = cta.tile_at(p.tile);
    wg.ready += cta.costs().tile.find;
    TileSpan span{.k_begin = p.k_begin, .k_end = p.k_end};
    co_await multiply_by_threads(cta, wg, tile, span, static_cast<u32>(p.k_begin),
                                 static_cast<u32>(p.k_end));
    span.multiplied = wg.ready;
    co_await finish_piece(cta, wg, {p, tile, span});
  }
  cta.finish(wg);
}

}  // namespace tilecast
