#include "model/gemm/sim/kernel/reduction.h"

#include <algorithm>

#include "model/gemm/config/smem_layout.h"
#include "model/gemm/sim/kernel/epilogue.h"

namespace tilecast {
namespace {

PhaseBarrier& lock_of(Cta& cta, const Warpgroup& wg, const SharedPart& part) {
  return cta.kernel().sums->lock(part.piece.tile, cta.rank(), wg.part);
}

/// Writes a part's sum chunk by chunk. The role is ready when the last chunk has been written.
Process write_sum(Cta& cta, Warpgroup& wg, SumWrite how) {
  cta.note(wg, {.kind = how == SumWrite::kAdd ? StepKind::kAddSum : StepKind::kStoreSum,
                .bytes = cta.kernel().sums->part_bytes()});
  for (i32 chunk = 0; chunk < PartialSums::kChunks; ++chunk) {
    co_await cta.engine().until(wg.ready);
    wg.ready = cta.kernel().sums->write(cta.engine().now(), cta.sm_index(), how);
  }
}

Process read_sum(Cta& cta, Warpgroup& wg) {
  cta.note(wg, {.kind = StepKind::kReadSum, .bytes = cta.kernel().sums->part_bytes()});
  PartialSums& sums = *cta.kernel().sums;
  for (i32 turn = 0; turn < sums.turns(); ++turn) {
    co_await cta.engine().until(wg.ready);
    wg.ready = sums.read_turn(cta.engine().now(), turn, cta.sm().place, cta.sm().intake,
                              cta.chip().memory);
  }
}

/// The warpgroup continues when all its writes have arrived; other CTAs see them after another such
/// delay.
void publish(Cta& cta, Warpgroup& wg, const SharedPart& part) {
  const bool apart = cta.kernel().config.decomposition.reduction == Reduction::kSpread;
  cta.note(wg, {.kind = StepKind::kPublish, .count = apart ? 1 : part.piece.k_blocks()});
  const SimTime way = cta.kernel().sums->way();
  wg.ready += way;
  lock_of(cta, wg, part).arrive(wg.ready + way);
}

Process wait_phase(Cta& cta, Warpgroup& wg, const SharedPart& part, u32 phase) {
  PhaseBarrier& lock = lock_of(cta, wg, part);
  cta.note(wg, {.kind = StepKind::kWaitSum,
                .count = i64{phase + 1} * lock.arrivals(),
                .tile_m = part.tile.m,
                .tile_n = part.tile.n});
  co_await lock.wait(phase, wg.ready + cta.kernel().sums->way(), {});
  wg.ready = cta.engine().now();
}

/// Runs the whole distributed reduction, including the stores to C.
Process reduce_spread(Cta& cta, Warpgroup& wg, SharedPart part) {
  GemmKernel& kernel = cta.kernel();
  co_await write_sum(cta, wg, SumWrite::kStore);
  publish(cta, wg, part);
  co_await wait_phase(cta, wg, part, 0);
  part.span.reduction = TileSpan::Reduction{wg.ready, {}};
  // The shares of all partial sums are together as large as one partial sum.
  co_await read_sum(cta, wg);
  if (cta.costs().store.arithmetic.ps > 0) {
    co_await fuse(cta, wg, c_chunks(cta.tiling()), kernel.work.splits);
  }
  co_await cta.engine().until(wg.ready);
  cta.note(wg, {.kind = StepKind::kShareStored});
  const i64 share = kernel.c_bytes(part.tile, wg.part) / kernel.work.splits;
  wg.ready = kernel.sums->store_results(cta.engine().now(), cta.sm_index(), share);
  wg.ready += kernel.sums->hop();  // until all of it is stored and the lock is updated
  part.span.reduction->reduced = wg.ready;
  wg.stores.read = wg.ready;
  if (kernel.work.owns(part.piece)) {  // one span for the part
    record_stored(cta, wg, part.tile, part.span);
  } else {
    kernel.last_store = std::max(kernel.last_store, wg.ready);
    record_span(cta, wg, part.tile, part.span);
  }
}

}  // namespace

Process hand_on(Cta& cta, Warpgroup& wg, SharedPart part) {
  const bool in_turn = cta.kernel().config.decomposition.reduction == Reduction::kTurnstile;
  const bool first = in_turn && part.piece.k_begin == 0;
  if (in_turn && !first) {
    co_await wait_phase(cta, wg, part,
                        cta.kernel().sums->before(part.piece.tile, part.piece.k_begin) - 1);
  }
  part.span.reduction = TileSpan::Reduction{wg.ready, {}};
  co_await write_sum(cta, wg, first ? SumWrite::kStore : SumWrite::kAdd);
  publish(cta, wg, part);
  part.span.reduction->reduced = wg.ready;
  record_span(cta, wg, part.tile, part.span);
}

Process take_over(Cta& cta, Warpgroup& wg, SharedPart part) {
  const bool in_turn = cta.kernel().config.decomposition.reduction == Reduction::kTurnstile;
  co_await wait_phase(
      cta, wg, part,
      in_turn ? cta.kernel().sums->before(part.piece.tile, part.piece.k_begin) - 1 : 0);
  part.span.reduction = TileSpan::Reduction{wg.ready, {}};
  co_await read_sum(cta, wg);
  if (!in_turn && uses_tcgen05(cta.kernel().config.schedule)) {
    co_await write_sum(cta, wg, SumWrite::kStore);  // zeroes it for the next launch
  } else if (!in_turn) {
    cta.note(wg, {.kind = StepKind::kWaitClearing, .at = wg.part});
    co_await cta.clearing_ready(wg.part).wait(wg.sums_taken++, wg.ready, {});
    wg.ready = cta.engine().now();
    cta.note(wg, {.kind = StepKind::kSumTaken, .at = wg.part});
    cta.sum_taken(wg.part).arrive(wg.ready);
  }
  part.span.reduction->reduced = wg.ready;
}

Process finish_piece(Cta& cta, Warpgroup& wg, SharedPart part) {
  const WorkDecomposition& work = cta.kernel().work;
  if (!work.is_whole(part.piece)) {
    const bool spread = cta.kernel().config.decomposition.reduction == Reduction::kSpread;
    if (spread) {
      co_await reduce_spread(cta, wg, part);
    } else if (work.owns(part.piece)) {
      co_await take_over(cta, wg, part);
    } else {
      co_await hand_on(cta, wg, part);
    }
    if (spread || !work.owns(part.piece)) {
      wg.ready += cta.costs().tile.next;
      co_return;
    }
  }
  co_await store_tile(cta, wg, part.tile, part.span);
}

Process clear_sums(Cta& cta) {
  Warpgroup warps{.index = kClearingRole, .ready = cta.engine().now()};
  const WorkDecomposition& work = cta.kernel().work;
  u32 piece = 0;
  for (WorkPiece p = work.first(cta.worker()); work.valid(p); p = work.next(cta.worker(), p)) {
    if (work.is_whole(p) || !work.owns(p)) {
      continue;
    }
    for (i32 part = 0; part < warpgroups_per_tile(cta.tiling()); ++part) {
      cta.note(warps, {.kind = StepKind::kClearingReady, .at = part});
      cta.clearing_ready(part).arrive(warps.ready);
      cta.note(warps, {.kind = StepKind::kWaitSumTaken, .at = part});
      co_await cta.sum_taken(part).wait(piece, warps.ready, {});
      warps.ready = cta.engine().now();
      co_await write_sum(cta, warps, SumWrite::kStore);
    }
    ++piece;
  }
  cta.kernel().last_store = std::max(cta.kernel().last_store, warps.ready);
  cta.finish(warps);
}

}  // namespace tilecast
