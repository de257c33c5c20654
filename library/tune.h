// The fastest of a few candidates by measurement, remembered. What is timed: graphs of as many runs
// as take a millisecond by forecast, candidate by candidate in rounds, so that what the clock does
// meets all alike; the median of the rounds. Leaves out: caches that other work would have filled.
// Checked by: run_test.cpp [gpu], misuse_test.cpp.
#pragma once

#include <memory>

#include "library/plan.h"

namespace tilecast {

struct TunedPlan {
  std::unique_ptr<const Plan> plan;
  double measured_us;
};

/// `arguments`: what is multiplied to measure; C is overwritten. Waits for `stream`, which they are
/// ready in. Throws as tilecast_plan_tune fails.
TunedPlan tune(const Request& request, const Tuning& tuning, const tilecast_arguments& arguments,
               void* stream);

}  // namespace tilecast
