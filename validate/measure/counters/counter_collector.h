// Counters for rows of measurement: a pass of its own after the timing, in the same L2 state, or a
// word that says why there are none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/measure/counters/range_profiler.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

class CounterCollector {
 public:
  /// `metrics` as CUPTI names them for the chip of the current device. Where there are no counters
  /// it says so in trouble() and in every row.
  explicit CounterCollector(std::vector<std::string> metrics);
  /// One that collects nothing and says why.
  CounterCollector(CountersState why, std::string trouble);

  /// Fills the row's counters and counters_state. Before each pass every other buffer set is used
  /// once, as in the timed launches, so that L2 has the same content. Throws CudaError if a launch
  /// fails.
  void collect(Measurement& row, const Workload& workload);

  /// One line; empty if all is well so far.
  const std::string& trouble() const { return trouble_; }

 private:
  CountersState state_ = CountersState::kCollected;
  std::string trouble_;
  std::optional<RangeProfiler> profiler_;
  std::optional<MetricPlan> plan_;
};

}  // namespace tilecast
