#include "validate/measure/timing/nvml_watch.h"

namespace tilecast {
namespace {

constexpr auto kReadEvery = std::chrono::milliseconds(1);

}  // namespace

NvmlWatch::NvmlWatch(const Nvml& nvml, std::chrono::milliseconds settle)
    : nvml_(nvml),
      thread_([this, settle](const std::stop_token& stopped) { read(stopped, settle); }) {}

void NvmlWatch::read(const std::stop_token& stopped, std::chrono::milliseconds settle) {
  const auto settled = PowerMeter::Clock::now() + settle;
  for (; !stopped.stop_requested(); std::this_thread::sleep_for(kReadEvery)) {
    if (PowerMeter::Clock::now() < settled) {
      continue;
    }
    const std::optional<Joules> energy = nvml_.energy();
    const auto now = PowerMeter::Clock::now();
    if (stopped.stop_requested()) {
      return;  // the load may have ended before this reading
    }
    meter_.read(energy, now);
    if (const std::optional<u64> events = nvml_.clock_event_reasons()) {
      clock_events_ = clock_events_.value_or(0) | *events;
    }
  }
}

NvmlWatch::Seen NvmlWatch::end() {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return {.power = meter_.mean(), .clock_events = clock_events_};
}

}  // namespace tilecast
