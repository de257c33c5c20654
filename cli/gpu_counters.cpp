#include "cli/gpu_counters.h"

#include <fmt/format.h>

#include "model/spec/load_gpu.h"
#include "validate/measure/counters/cupti_error.h"

namespace tilecast {
namespace {

std::string no_counters_known(const std::string& chip) {
  return fmt::format(
      "no hardware counters: none are known for the chip {}: expected a file in "
      "{}/counters",
      chip.empty() ? "(no name from CUPTI)" : chip, config_folder().string());
}

}  // namespace

std::string current_chip_or_nothing() {
  try {
    return current_chip();
  } catch (const CountersUnavailable&) {
    return "";
  }
}

CounterRequest counters_of_chip(CounterChoice choice, const std::string& chip) {
  CounterRequest request{.choice = choice, .metrics = {}, .unknown_chip = ""};
  if (choice == CounterChoice::kNone) {
    return request;
  }
  const std::optional<ChipCounters> known = load_chip_counters(config_folder(), chip);
  if (!known) {
    request.unknown_chip = no_counters_known(chip);
    return request;
  }
  request.metrics = (choice == CounterChoice::kCore ? known->core : known->full).metrics();
  return request;
}

std::optional<CounterCollector> collector_of(const CounterRequest& request) {
  if (request.choice == CounterChoice::kNone) {
    return std::nullopt;
  }
  if (!request.unknown_chip.empty()) {
    return std::optional<CounterCollector>(std::in_place, CountersState::kUnknownChip,
                                           request.unknown_chip);
  }
  return std::optional<CounterCollector>(std::in_place, request.metrics);
}

}  // namespace tilecast
