#include "validate/measure/counters/counter_collector.h"

#include <utility>

#include "validate/measure/counters/cupti_error.h"

namespace tilecast {

CounterCollector::CounterCollector(CountersState why, std::string trouble)
    : state_(why), trouble_(std::move(trouble)) {}

CounterCollector::CounterCollector(std::vector<std::string> metrics) {
  try {
    profiler_.emplace();
    plan_.emplace(profiler_->chip(), std::move(metrics));
  } catch (const CountersUnavailable& error) {
    state_ = error.state;
    trouble_ = error.what();
  }
}

void CounterCollector::collect(Measurement& row, const Workload& workload) {
  row.counters_state = state_;
  if (state_ != CountersState::kCollected) {
    return;
  }
  const auto use_other_sets = [&] {
    for (std::size_t set = 1; set < workload.sets; ++set) {
      workload.enqueue(set);
    }
  };
  try {
    row.counters = profiler_->collect(*plan_, use_other_sets, [&] { workload.enqueue(0); });
  } catch (const CountersUnavailable& error) {  // continue, because the next row may succeed
    row.counters_state = error.state;
    trouble_ = error.what();
  }
}

}  // namespace tilecast
