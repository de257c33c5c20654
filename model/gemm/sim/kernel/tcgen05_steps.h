// The steps of who issues MMAs, as kernels/device/tcgen05_operation.cuh and stage_loop.cuh order
// them: wait for operands, issue and commit, wait for what is outstanding. Of a pair the peer goes
// through the same steps, issues nothing and is paced by the commits that arrive at its barriers.
//
// An instruction of a pair keeps both SMs' tensor cores busy and begins when both are free. A
// commit makes its stage empty tcgen05.latency (of a pair, pair_latency) behind the K block's last
// MMA. Checked by: tcgen05_test.cpp.
#pragma once

#include <algorithm>

#include "model/gemm/sim/kernel/cta.h"

namespace tilecast {

/// K blocks that may be unfinished when the next one is issued.
inline i32 mma_lag(const Cta& cta) { return std::max(1, cta.inflight()); }

/// Awaited: the operands of the whole group are there.
inline PhaseBarrier::Wait wait_operands(Cta& cta, const Warpgroup& issuer) {
  PhaseBarrier& full = cta.ring().full(issuer.at.stage);
  return cta.leads() ? full.wait(issuer.at.round, issuer.ready, {}) : full.passed(issuer.ready, {});
}

/// Awaited: with inflight 0, the K block before is complete; then the instructions of issuing.
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

/// Awaited: the oldest K block that was not waited for is complete; its stage may be loaded again.
inline PhaseBarrier::Wait wait_oldest(Cta& cta, Warpgroup& issuer) {
  const RingPosition oldest = issuer.to_release;
  issuer.to_release.advance(cta.tiling().stages);
  return cta.ring().empty(oldest.stage).wait(oldest.round, issuer.ready, {});
}

/// Awaited: everyone who stores has read what this place held before.
inline PhaseBarrier::Wait wait_accumulator(Cta& cta, const Warpgroup& issuer, const Turn& to) {
  PhaseBarrier& empty = cta.tcgen05().accumulator_empty[static_cast<std::size_t>(to.index)];
  return cta.leads() && to.use > 0 ? empty.wait(to.use - 1, issuer.ready, {})
                                   : empty.passed(issuer.ready, {});
}

/// All K blocks of a tile are issued: who stores it is told when they are complete.
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
