// Groups of asynchronous tensor operations, which queue on the SM's tensor pipe and are waited for
// in order.
#pragma once

#include <array>

#include "model/sim/chip/chip.h"
#include "model/spec/step_costs.h"

namespace tilecast {

/// MMA groups of one role.
class MmaGroups {
 public:
  /// Issues a group now; returns its completion time.
  SimTime issue(Chip& chip, Sm& sm, SimTime takes, i64 operand_bytes) {
    const SimTime now = chip.engine.now();
    const SimTime complete = sm.tensor.serve(now, takes);
    complete_[issued_++ % complete_.size()] = complete;
    if (chip.activity != nullptr) {
      chip.activity->add(Resource::kTensor, now, takes.ps);
      chip.activity->add(Resource::kOperandReads, now, operand_bytes);
    }
    return complete;
  }

  /// Returns the time at which a role that waits from `ready` on sees at most `left` groups in
  /// flight.
  SimTime wait(SimTime ready, u32 left, const MmaCosts& costs) const {
    return issued_ > left
               ? later(ready, complete_[(issued_ - 1 - left) % complete_.size()] + costs.completion)
               : ready;
  }

 private:
  u32 issued_ = 0;
  std::array<SimTime, 4> complete_{};  // completion of the last groups
};

}  // namespace tilecast
