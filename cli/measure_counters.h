// What `measure` does besides timing: hardware counters for rows, and samples over time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/suite.h"
#include "model/spec/chip_counters.h"
#include "validate/measure/counter_collector.h"

namespace tilecast {

/// Which counters a run's rows have columns for.
struct CounterRequest {
  CounterChoice choice = CounterChoice::kNone;
  std::vector<std::string> metrics;  // empty where none are asked for, or the chip is unknown
  std::string unknown_chip;          // why there are none for it; empty where it is known
};

/// In a child, since it asks CUDA. Empty where CUPTI does not say.
std::string current_chip_or_nothing();

/// Throws FileError, or ConfigError where the counters file is not strict.
CounterRequest request_counters(CounterChoice choice, const std::string& chip);

/// On the current device; nothing where none are asked for.
std::optional<CounterCollector> collector_of(const CounterRequest& request);

/// `points` has one point; its samples go to `path` as CSV: time, length, one column for each
/// metric. Throws Error where they cannot be had.
void sample_point(const std::vector<SuitePoint>& points, const std::string& chip,
                  const std::string& path);

}  // namespace tilecast
