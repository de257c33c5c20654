#include "model/sim/engine/phase_barrier.h"

#include <fmt/format.h>

#include <algorithm>

namespace tilecast {

void PhaseBarrier::wake() {
  // The list of waiters is in reverse order; they wake in the order of arrival.
  Wait* in_order = nullptr;
  for (Wait* wait = waiting_; wait != nullptr;) {
    Wait* next = wait->next_;
    wait->next_ = in_order;
    in_order = wait;
    wait = next;
  }
  waiting_ = nullptr;
  for (Wait* wait = in_order; wait != nullptr;) {
    Wait* next = wait->next_;  // the waiter may be destroyed once resumed
    if (wait->phase_ < completed_) {
      wait->process_.promise().root->waits_for = nullptr;
      engine_.schedule(std::max(engine_.now(), wait->resume_at()), wait->process_);
    } else {
      wait->next_ = waiting_;
      waiting_ = wait;
    }
    wait = next;
  }
}

std::string PhaseBarrier::describe() const {
  return fmt::format("{}[{}], phase {}, {} of {} arrivals", name_, index_, completed_, arrived_,
                     arrivals_);
}

}  // namespace tilecast
