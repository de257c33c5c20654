// Finds the fastest of a few candidates by measurement and stores the result. Times graphs of runs
// that take a millisecond according to the forecast, one candidate after another in several rounds,
// so that clock changes affect all equally, and uses the median over rounds. Not covered: caches
// filled by other work. Checked by: run_test.cpp [gpu], misuse_test.cpp.
#pragma once

#include <memory>

#include "library/plan.h"

namespace tilecast {

template <class OpRequest>
struct TunedPlan {
  std::unique_ptr<const PlanOf<OpRequest>> plan;
  double measured_us;
};

/// `arguments`: operands to measure with; the result is overwritten. Waits for `stream`, on which
/// they become ready. Throws the errors that tilecast_plan_tune reports.
template <class OpRequest>
TunedPlan<OpRequest> tune(const OpRequest& request, const Tuning& tuning,
                          const typename OpRequest::Arguments& arguments, void* stream);

}  // namespace tilecast
