// tilecast-gpu probe: what this machine has for running and measuring kernels, as one JSON object
// for `tilecast doctor`. What is missing is a field of the object and does not change the exit
// code.

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "kernels/jit/compile.h"
#include "kernels/jit/device.h"
#include "model/base/error.h"
#include "model/spec/chip_counters.h"
#include "model/spec/load_gpu.h"
#include "validate/measure/counters/range_profiler.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/timing/activity_timer.h"

namespace tilecast {
namespace {

/// Returns {"chip": GH100, "core_passes": 2}, or {"error": reason}. Briefly enables the profiler,
/// because permission is only checked then.
nlohmann::ordered_json probe_counters() {
  try {
    const RangeProfiler profiler;
    const std::optional<ChipCounters> known = load_chip_counters(config_folder(), profiler.chip());
    if (!known) {
      return {{"chip", profiler.chip()},
              {"error", fmt::format("no hardware counters are known for the chip {}: {}/counters "
                                    "has no file for it",
                                    profiler.chip(), config_folder().string())}};
    }
    const MetricPlan plan(profiler.chip(), known->core.metrics());
    return {{"chip", profiler.chip()}, {"core_passes", plan.passes()}};
  } catch (const Error& error) {
    return {{"error", error.what()}};
  }
}

}  // namespace

void run_probe(const Arguments&) {
  nlohmann::ordered_json answer = {
      {"schema", 1}, {"toolkit", toolkit_version()}, {"nvrtc", nvrtc_version()}};
  if (const u32 cupti = cupti_version(); cupti != 0) {
    answer["cupti"] = cupti;
  }
  if (const std::string driver = kernel_driver_version(); !driver.empty()) {
    answer["driver"] = driver;
  }
  try {
    const Device device = current_device();
    const DeviceFacts facts = device_facts(device);
    answer["device"] = {{"name", device.name},
                        {"uuid", facts.uuid},
                        {"sms", device.sm_count},
                        {"compute_capability",
                         fmt::format("{}.{}", device.capability / 10, device.capability % 10)},
                        {"l2_bytes", facts.l2.value},
                        {"most_sm_clock_hz", facts.most_sm_clock.value},
                        {"most_memory_clock_hz", facts.most_memory_clock.value},
                        {"memory_bus_bytes", facts.memory_bus.value},
                        {"memory_bytes", facts.memory.value}};
    answer["counters"] = probe_counters();
  } catch (const Error& error) {
    answer["device_error"] = error.what();
  }
  fmt::print("{}\n", answer.dump());
}

}  // namespace tilecast
