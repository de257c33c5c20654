#include "model/sim/schedules/multiply.h"

#include <algorithm>

#include "model/sim/kernel/epilogue.h"

namespace tilecast {
namespace {

/// Of block scales: one wgmma row after the other. A tile's second warpgroup follows the first,
/// which takes no time here: the tensor cores serve whoever asked first.
Process multiply_promoted(Cta& cta, Warpgroup& wg) {
  const i32 parts = cta.costs().promoted_parts, stage = wg.at.stage;
  const bool in_order = warpgroups_per_tile(cta.tiling()) == 2;
  if (in_order && wg.index > 0) {
    cta.note_often(wg, [&] { return Step{.kind = StepKind::kTakeTurn, .at = stage}; });
  }
  for (i32 part = 0; part < parts; ++part) {
    const bool last = part == parts - 1;
    co_await cta.engine().until(wg.ready);
    cta.mma_part(wg, last);
    if (part == 0) {
      cta.note_often(wg, [] { return Step{.kind = StepKind::kWaitMultiplied, .count = 1}; });
      if (in_order && wg.index == 0) {
        cta.note_often(wg, [&] { return Step{.kind = StepKind::kGiveTurn, .at = stage}; });
      }
    }
    cta.wait_mma(wg, 0);
    if (last) {
      cta.release_stage(wg);
    }
    wg.ready += cta.costs().promotion;
  }
}

}  // namespace

i32 left_in_flight(Cta& cta, u32 k_blocks) {
  return std::min(cta.inflight(), static_cast<i32>(k_blocks));
}

Process multiply_stages(Cta& cta, Warpgroup& wg, TileSpan& span, u32 k_blocks) {
  span.begin = wg.ready;
  for (u32 k_block = 0; k_block < k_blocks; ++k_block) {
    co_await cta.wait_full(wg);
    if (k_block == 0) {
      span.first_operands = cta.engine().now() - cta.costs().turn;
    }
    if (cta.costs().promoted_parts > 0) {
      co_await multiply_promoted(cta, wg);
      continue;
    }
    cta.mma_k_block(wg);
    if (wg.chunks_waiting > 0) {
      co_await store_waiting(cta, wg);
    }
    cta.wait_mma(wg, cta.inflight());
    if (k_block >= static_cast<u32>(cta.inflight())) {
      cta.release_stage(wg);
    }
  }
}

void drain(Cta& cta, Warpgroup& wg, i32 unreleased) {
  cta.wait_mma(wg, 0);
  for (i32 i = 0; i < unreleased; ++i) {
    cta.release_stage(wg);
  }
}

}  // namespace tilecast
