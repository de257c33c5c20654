// Hardware counters of rows that `measure` times.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/measure_device.h"
#include "validate/measure/counters/counter_collector.h"

namespace tilecast {

/// In a child, since it asks CUDA. Empty where CUPTI does not say.
std::string current_chip_or_nothing();

/// Throws FileError, or ConfigError where the counters file is not strict.
CounterRequest counters_of_chip(CounterChoice choice, const std::string& chip);

/// On the current device; nothing where none are asked for.
std::optional<CounterCollector> collector_of(const CounterRequest& request);

}  // namespace tilecast
