// Runs of a plan timed on its device, back to back in a graph. Built with CUDA
// (cuda_timed_runs.cpp) or as a stub that reports its absence (without_cuda.cpp).
#pragma once

#include <memory>

#include "library/plan.h"

namespace tilecast {

class TimedRuns {
 public:
  virtual ~TimedRuns() = default;

  /// Mean time per run; waits for the runs. Throws StatusError.
  virtual double microseconds() = 0;
};

/// Allocates its own workspace. Throws StatusError.
std::unique_ptr<TimedRuns> make_timed_runs(const GemmPlan& plan, tilecast_arguments arguments,
                                           int runs);

/// Throws StatusError.
void wait_for(void* stream);

}  // namespace tilecast
