// A ring of stages in a CTA's shared memory: a stage is full when all slices of its block have
// landed, and empty when all its readers have released it.
#pragma once

#include <vector>

#include "model/sim/engine/phase_barrier.h"

namespace tilecast {

/// Stage index in a ring, and the number of wrap-arounds.
struct RingPosition {
  i32 stage = 0;
  u32 round = 0;

  void advance(i32 stages) {
    // Branch-free, because events of many CTAs interleave, so a branch would be mispredicted.
    const i32 next = stage + 1, wraps = static_cast<i32>(next == stages);
    stage = next * (1 - wraps);
    round += static_cast<u32>(wraps);
  }
};

class StageRing {
 public:
  /// A stage is full after `slices` arrivals, and empty after `releases`.
  StageRing(Engine& engine, i32 stages, i32 slices, i32 releases) {
    for (i32 stage = 0; stage < stages; ++stage) {
      full_.emplace_back(engine, slices, "full", stage);
      empty_.emplace_back(engine, releases, "empty", stage);
    }
  }
  void reset() {
    for (std::size_t stage = 0; stage < full_.size(); ++stage) {
      full_[stage].reset();
      empty_[stage].reset();
    }
  }

  i32 stages() const { return static_cast<i32>(full_.size()); }
  PhaseBarrier& full(i32 stage) { return full_[static_cast<std::size_t>(stage)]; }
  PhaseBarrier& empty(i32 stage) { return empty_[static_cast<std::size_t>(stage)]; }

  /// co_await: resumes `then` after the stage's bytes have arrived. `ready`: time at which the
  /// waiter starts to wait.
  PhaseBarrier::Wait wait_full(const RingPosition& at, SimTime ready, SimTime then) {
    return full(at.stage).wait(at.round, ready, then);
  }
  /// co_await: resumes once all readers have released the stage.
  PhaseBarrier::Wait wait_empty(const RingPosition& at, SimTime ready, SimTime then) {
    PhaseBarrier& barrier = empty(at.stage);
    return at.round == 0 ? barrier.passed(ready, then) : barrier.wait(at.round - 1, ready, then);
  }

 private:
  std::vector<PhaseBarrier> full_, empty_;
};

}  // namespace tilecast
