// Simulates the steps of the MMA issuer, in the order of kernels/device/tcgen05_operation.cuh and
// stage_loop.cuh: wait for operands, issue and commit, wait for outstanding K blocks. In a pair,
// the peer takes the same steps without issuing, at the pace of the commits that arrive at its
// barriers.
//
// A pair's instruction occupies both SMs' tensor cores and begins when both are free. A commit
// frees its stage tcgen05.latency (for a pair, pair_latency) after the K block's last MMA. Checked
// by: tcgen05_test.cpp.
#pragma once

#include <algorithm>

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// Number of K blocks that may be incomplete when the next one is issued.
inline i32 mma_lag(const Cta& cta) { return std::max(1, cta.inflight()); }

/// co_await: resumes when the operands of the whole group have arrived.
inline PhaseBarrier::Wait wait_operands(Cta& cta, const Warpgroup& issuer) {
  PhaseBarrier& full = cta.ring().full(issuer.at.stage);
  return cta.leads() ? full.wait(issuer.at.round, issuer.ready, {}) : full.passed(issuer.ready, {});
}

/// co_await: resumes when the previous K block is complete (inflight 0 only) and the issue time has
/// passed.
inline PhaseBarrier::Wait wait_turn(Cta& cta, const Warpgroup& issuer, u32 k_block) {
  const SimTime now = cta.engine().now();
  if (cta.inflight() > 0 || k_block == 0) {
    return cta.ring().empty(0).passed(now, cta.costs().mma.turn);
  }
  const RingPosition& at = issuer.at;
  const bool wraps = at.stage == 0;
  PhaseBarrier& before = cta.ring().empty(wraps ? cta.tiling().stages - 1 : at.stage - 1);
  return before.wait(wraps ? at.round - 1 : at.round, now, cta.costs().mma.turn);
}

/// Issues and commits the MMAs of one K block.
inline void issue_k_block(Cta& cta, Warpgroup& issuer) {
  const SimTime now = cta.engine().now();
  issuer.ready = now;
  if (cta.leads()) {
    const KernelCosts& costs = cta.costs();
    SimTime begin = now;
    for (Cta* member : cta.group()) {
      begin = std::max(begin, member->sm().tensor.free_at());
    }
    Activity* activity = cta.chip().activity;
    for (Cta* member : cta.group()) {
      const SimTime complete = member->sm().tensor.serve(begin, costs.mma.time);
      issuer.committed = complete + costs.mma.completion;
      member->ring().empty(issuer.at.stage).arrive(issuer.committed);
      ++cta.kernel().k_blocks_multiplied;
      if (activity != nullptr) {
        activity->add(Resource::kTensor, now, costs.mma.time.ps);
        activity->add(Resource::kOperandReads, now, costs.mma.operand_bytes);
      }
    }
  }
  issuer.at.advance(cta.tiling().stages);
}

/// co_await: resumes when the oldest outstanding K block is complete; its stage may be loaded
/// again.
inline PhaseBarrier::Wait wait_oldest(Cta& cta, Warpgroup& issuer) {
  const RingPosition oldest = issuer.to_release;
  issuer.to_release.advance(cta.tiling().stages);
  return cta.ring().empty(oldest.stage).wait(oldest.round, issuer.ready, {});
}

/// co_await: resumes when all storing warps have read this accumulator's previous content.
inline PhaseBarrier::Wait wait_accumulator(Cta& cta, const Warpgroup& issuer, const Turn& to) {
  PhaseBarrier& empty = cta.tcgen05().accumulator_empty[static_cast<std::size_t>(to.index)];
  return cta.leads() && to.use > 0 ? empty.wait(to.use - 1, issuer.ready, {})
                                   : empty.passed(issuer.ready, {});
}

/// Ends the issue of a tile; the storing warps are notified once its K blocks are complete.
inline void hand_over_accumulator(Cta& cta, Warpgroup& issuer, Turn& to, const TileSpan& span) {
  if (cta.leads()) {
    cta.tcgen05().spans[static_cast<std::size_t>(to.index)] = span;
    for (Cta* member : cta.group()) {
      member->tcgen05().accumulator_full[static_cast<std::size_t>(to.index)].arrive(
          issuer.committed);
    }
  }
  issuer.to_release = issuer.at;
  issuer.ready = cta.engine().now();
  to.advance(cta.kernel().config.accumulators);
}

}  // namespace tilecast
