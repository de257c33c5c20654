// Activity of the whole chip over time: CUPTI's PM sampling, which reads counters at a fixed
// interval while kernels run as they please.
//
// Leaves out: which kernel a sample belongs to; what else runs on the GPU is in it too.
#pragma once

#include <functional>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "validate/measure/counters/metric_plan.h"

namespace tilecast {

struct PmSample {
  u64 start_ns, end_ns;        // of the GPU's timer
  std::vector<double> values;  // in the order of the plan's metrics
};

struct PmSamples {
  std::vector<PmSample> samples;  // by time
  bool overflow = false;          // the GPU's buffer was full: later samples are missing
};

/// Samples the current device every `interval` while `run` lasts, which waits for its own work, and
/// at most for `longest`. `plan` is for MetricUse::kSampling. Throws CountersUnavailable, and what
/// `run` throws.
PmSamples sample_activity(const MetricPlan& plan, Seconds interval, Seconds longest,
                          const std::function<void()>& run);

}  // namespace tilecast
