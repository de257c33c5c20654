// Hardware counters of one launch by CUPTI's Range Profiler: a range that we mark and a launch that
// we repeat, once for each pass (UserRange, UserReplay). The caller owns what comes between passes,
// so every pass finds the same L2.
//
// Leaves out: the clock, which is whatever the passes meet; time and counters of one row come from
// different launches. The host marks a range, so it is about 30 us longer than the launches inside,
// and so is what counts all of it (`duration`, `elapsed`); what the launch itself does (bytes,
// instructions, `active` cycles) is not changed by that. Checked by: range_profiler_test.cpp, on
// the GPU, against arithmetic and the other clocks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/base/units.h"
#include "validate/measure/counters/metric_plan.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// CUPTI's name for the chip of the current device: GH100. Throws CountersUnavailable.
std::string current_chip();

class RangeProfiler {
 public:
  /// On the current device, whose context exists afterwards. Throws CountersUnavailable where this
  /// machine gives no counters: permission, MIG, another profiler, ...
  RangeProfiler();

  const std::string& chip() const { return chip_; }

  /// One value for each metric of `plan`, by name. Each pass calls `prepare` outside the range and
  /// `launch` inside; both enqueue and do not wait. Throws CountersUnavailable, and what they
  /// throw.
  std::map<std::string, double> collect(const MetricPlan& plan,
                                        const std::function<void()>& prepare,
                                        const std::function<void()>& launch);

 private:
  std::string chip_;
};

/// gpu__time_duration.sum of what `launch` enqueues, for comparison with other clocks: what eight
/// more launches add to a range with one, over eight, so that the ends of the range do not count;
/// the median of five such pairs. For kernels of at least 100 us, which hide the next launch; the
/// gap between two of them, about 1 us, is in it. Nothing where counters cannot be had.
std::optional<Seconds> profiled_duration(const std::function<void()>& launch);

}  // namespace tilecast
