// Hardware counters of one launch by CUPTI's Range Profiler: a range is marked, and the launch is
// repeated once for each pass (UserRange, UserReplay). The caller controls everything between
// passes, so L2 has the same content in every pass.
//
// Not covered: control of the clock during the passes; time and counters of one row come from
// different launches. The host marks the range, so it is about 30 us longer than the launches in
// it, and so are metrics of the whole range (`duration`, `elapsed`); metrics of the launch itself
// (bytes, instructions, `active` cycles) are unaffected. Checked by: range_profiler_test.cpp, on
// the GPU, against arithmetic and the other clocks.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "model/base/units.h"
#include "validate/measure/counters/metric_plan.h"

namespace tilecast {

/// Returns CUPTI's name for the chip of the current device: GH100. Throws CountersUnavailable.
std::string current_chip();

class RangeProfiler {
 public:
  /// Profiles the current device; creates its context. Throws CountersUnavailable if this machine
  /// provides no counters: permission, MIG, another profiler, ...
  RangeProfiler();

  const std::string& chip() const { return chip_; }

  /// Returns the value of each metric of `plan`, by name. Each pass calls `prepare` outside the
  /// range and `launch` inside; both enqueue and do not wait. Throws CountersUnavailable, and the
  /// exceptions of `prepare` and `launch`.
  std::map<std::string, double> collect(const MetricPlan& plan,
                                        const std::function<void()>& prepare,
                                        const std::function<void()>& launch);

 private:
  std::string chip_;
};

/// Returns gpu__time_duration.sum of the work that `launch` enqueues, for comparison with other
/// clocks: the difference of a range with nine launches and one with one, divided by eight, so that
/// the ends of the range cancel; the median of five such pairs. Kernels must take at least 100 us,
/// to hide the next launch; the gap between two kernels, about 1 us, is included. Returns
/// std::nullopt if counters are unavailable.
std::optional<Seconds> profiled_duration(const std::function<void()>& launch);

}  // namespace tilecast
