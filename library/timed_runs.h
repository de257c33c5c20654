// Times runs of a plan on its device, back to back in a graph. Built with CUDA
// (cuda_timed_runs.cpp) or as a stub that reports its absence (without_cuda.cpp).
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "library/plan.h"

namespace tilecast {

class TimedRuns {
 public:
  virtual ~TimedRuns() = default;

  /// Mean time per run; waits for the runs. Throws StatusError.
  virtual double microseconds() = 0;
};

/// Enqueues a run with this workspace.
using RunWith =
    std::function<tilecast_status(void* workspace, std::size_t workspace_bytes, void* stream)>;

/// Allocates a separate workspace. Throws StatusError.
std::unique_ptr<TimedRuns> make_timed_runs(const Plan& plan, const RunWith& run, int runs);

/// Waits for the stream. Throws StatusError.
void wait_for(void* stream);

}  // namespace tilecast
