// Collects counters for measured rows in separate passes after the timing, in the same L2 state;
// without counters, records a word that says why.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/measure/counters/range_profiler.h"
#include "validate/measure/timing/timer_parts.h"
#include "validate/record/measurement.h"

namespace tilecast {

class CounterCollector {
 public:
  /// `metrics`: CUPTI's names for the chip of the current device. If there are no counters,
  /// trouble() and every row give the reason.
  explicit CounterCollector(std::vector<std::string> metrics);
  /// Creates a collector that collects nothing and reports `why`.
  CounterCollector(CountersState why, std::string trouble);

  /// Fills in the row's counters and counters_state. Before each pass every other buffer set is
  /// used once, as in the timed launches, so that L2 has the same content. Throws CudaError if a
  /// launch fails.
  void collect(Measurement& row, const Workload& workload);

  /// The reason for missing counters in one line; empty if there has been no error.
  const std::string& trouble() const { return trouble_; }

 private:
  CountersState state_ = CountersState::kCollected;
  std::string trouble_;
  std::optional<RangeProfiler> profiler_;
  std::optional<MetricPlan> plan_;
};

}  // namespace tilecast
