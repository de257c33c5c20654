#include "validate/measure/timing/clock_agreement.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <vector>

#include "model/base/error.h"
#include "validate/measure/timing/event.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr std::size_t kLaunches = 5;
constexpr std::size_t kFilledBytes = 512u << 20;
constexpr u64 kSeed = 1;

bool agree(Seconds one, Seconds other) { return std::abs(one / other - 1) <= kClocksAgree; }

}  // namespace

ClockReadings read_clocks(ActivityTimer& activity, const MicroKernels& kernels,
                          const Stream& stream, const CounterClock& counter) {
  const DeviceMemory memory(kFilledBytes);
  const auto launch = [&] {
    kernels.fill(memory.as<void>(), kFilledBytes / 2, ElementType::kFp16, Inputs::kNormal, kSeed,
                 stream.get());
  };
  const std::array<CudaEvent, kLaunches + 1> events;
  stream.synchronize();
  activity.take(0);
  launch();  // runs while the other launches are enqueued
  events[0].record(stream.get());
  for (std::size_t i = 1; i <= kLaunches; ++i) {
    launch();
    events[i].record(stream.get());
  }
  stream.synchronize();
  const KernelSpans taken = activity.take(kLaunches + 1);
  if (taken.spans.size() != kLaunches + 1) {
    throw Error(ExitCode::kNoDevice, fmt::format("CUPTI delivered {} kernel records, expected {}",
                                                 taken.spans.size(), kLaunches + 1));
  }
  std::vector<Seconds> by_activity, by_events;
  for (std::size_t i = 1; i <= kLaunches; ++i) {
    by_activity.push_back(seconds_between(taken.spans[i].start_ns, taken.spans[i].end_ns));
    by_events.push_back(events[i].since(events[i - 1]));
  }
  return {.activity = distribution_of(by_activity).median,
          .events = distribution_of(by_events).median,
          .counter = counter ? counter(launch) : std::nullopt};
}

std::string to_text(const ClockReadings& readings) {
  constexpr double kMicro = 1e6;
  return fmt::format("activity {:.1f} us, events {:.1f} us, {}", readings.activity.value * kMicro,
                     readings.events.value * kMicro,
                     readings.counter ? fmt::format("gpu__time_duration {:.1f} us",
                                                    readings.counter->value * kMicro)
                                      : "no counters");
}

void check_clocks_agree(const ClockReadings& readings) {
  if (readings.activity < kShortestForClocks) {
    throw Error(
        ExitCode::kWrong,
        "clock check: the probe kernel ran too briefly to compare timers: " + to_text(readings));
  }
  const bool counter_agrees = !readings.counter || (agree(*readings.counter, readings.activity) &&
                                                    agree(*readings.counter, readings.events));
  if (!agree(readings.activity, readings.events) || !counter_agrees) {
    throw Error(ExitCode::kWrong, fmt::format("the clocks differ by more than {:g} %: {}",
                                              kClocksAgree * 100, to_text(readings)));
  }
}

}  // namespace tilecast
