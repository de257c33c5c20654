#include "model/gemm/sim/schedules/multiply.h"

#include <algorithm>

#include "model/gemm/sim/kernel/epilogue.h"

namespace tilecast {
namespace {

/// Multiplies with fp32 promotion: one wgmma row after another. The wait for the next stage
/// overlaps the first row.
Process multiply_promoted(Cta& cta, Warpgroup& wg, bool last) {
  const i32 rows = cta.costs().mma.promoted_parts, stage = wg.at.stage;
  wg.at.advance(cta.tiling().stages);
  cta.kernel().k_blocks_multiplied += 1;
  for (i32 row = 0; row < rows; ++row) {
    co_await cta.engine().until(wg.ready);
    cta.mma_row(wg, stage);
    if (row == 0 && !last) {
      co_await cta.wait_full(wg);
      wg.ready = std::max(wg.ready, cta.engine().now());
    }
    cta.wait_mma(wg, 0);
    if (row == rows - 1) {
      cta.release_stage(wg);
    }
    wg.ready += cta.costs().mma.promotion;
  }
}

}  // namespace

i32 left_in_flight(Cta& cta, u32 k_blocks) {
  return std::min(cta.inflight(), static_cast<i32>(k_blocks));
}

Process multiply_stages(Cta& cta, Warpgroup& wg, TileSpan& span, u32 k_blocks) {
  span.begin = wg.ready;
  fetch_residual(cta, wg, k_blocks);
  for (u32 k_block = 0; k_block < k_blocks; ++k_block) {
    const bool promotes = cta.costs().mma.promoted_parts > 0;
    if (k_block == 0 || !promotes) {
      co_await cta.wait_full(wg);
    }
    if (k_block == 0) {
      span.first_operands = cta.engine().now() - cta.costs().mma.turn;
    }
    if (promotes) {
      co_await multiply_promoted(cta, wg, k_block + 1 == k_blocks);
      continue;
    }
    cta.mma_k_block(wg);
    if (wg.stores.chunks_waiting > 0) {
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
