// kernels/gemm/ping_pong.cu: two consumer warpgroups alternate tiles, so that the epilogue of one
// overlaps the wgmmas of the other.
#include <algorithm>

#include "model/gemm/sim/kernel/epilogue.h"
#include "model/gemm/sim/schedules/multiply.h"
#include "model/gemm/sim/schedules/roles.h"

namespace tilecast {
namespace {

/// Advances the ring position past one tile, which the other warpgroup multiplies.
void skip_tile(Cta& cta, Warpgroup& wg, u32 k_blocks) {
  const u32 stages = k_blocks + static_cast<u32>(cta.costs().residual.stages);
  for (u32 stage = 0; stage < stages; ++stage) {
    wg.at.advance(cta.tiling().stages);
    wg.to_release.advance(cta.tiling().stages);
  }
}

/// Waits until the tile's residual has arrived, in the stages after its K blocks. Otherwise the
/// warpgroup could not distinguish this round of stages from the next one.
Process await_residual(Cta& cta, Warpgroup& wg) {
  const RingPosition first = wg.at;
  for (i32 stage = 0; stage < cta.costs().residual.stages; ++stage) {
    co_await cta.wait_loaded(wg);
    wg.ready = std::max(wg.ready, cta.engine().now());
    wg.at.advance(cta.tiling().stages);
  }
  wg.at = first;
}

}  // namespace

Process ping_pong(Cta& cta, i32 warpgroup) {
  Warpgroup wg{.index = warpgroup, .part = 0, .ready = cta.engine().now()};
  i32 turn = 0;
  u32 turns_taken = 0;
  for (u32 t = cta.first_tile(); t < cta.end_tile(); t = cta.next_tile(t), turn ^= 1) {
    const u32 k_blocks = cta.k_blocks_of(t);
    if (turn != warpgroup) {
      skip_tile(cta, wg, k_blocks);
      continue;
    }
    if (t != cta.first_tile()) {
      cta.note(wg, {.kind = StepKind::kTakeTurn, .at = warpgroup});
      co_await cta.turn_of(warpgroup).wait(turns_taken, wg.ready, {});
      ++turns_taken;
      wg.ready = cta.engine().now();
    }
    TileSpan span{};
    co_await multiply_stages(cta, wg, span, k_blocks);
    if (cta.next_tile(t) < cta.end_tile()) {
      co_await await_residual(cta, wg);
      cta.note(wg, {.kind = StepKind::kGiveTurn, .at = warpgroup ^ 1});
      cta.turn_of(warpgroup ^ 1).arrive(wg.ready);
    }
    drain(cta, wg, left_in_flight(cta, k_blocks));
    wg.ready += cta.costs().tile.find;
    co_await store_tile(cta, wg, cta.tile_at(t), span);
  }
  cta.finish(wg);
}

}  // namespace tilecast
