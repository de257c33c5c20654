// Do the clocks that time a kernel agree? Once a run, on a kernel of some hundred microseconds:
// CUPTI Activity records, CUDA events around it, and, where counters can be had,
// gpu__time_duration. Times that differ by more than 2 % mean that one of them is broken, and the
// run stops. Checked by: clock_agreement_test.cpp; on the device by every run.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "model/base/units.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/micro_kernels.h"

namespace tilecast {

constexpr double kClocksAgree = 0.02;          // |one / other - 1| of any two
constexpr Seconds kShortestForClocks{100e-6};  // below it the overhead of events matters too much

/// gpu__time_duration of the work that `launch` enqueues, or nothing if counters are unavailable.
using CounterClock = std::function<std::optional<Seconds>(const std::function<void()>& launch)>;

struct ClockReadings {
  Seconds activity, events;
  std::optional<Seconds> counter;
};

/// Medians over a few launches of one kernel that fills memory.
ClockReadings read_clocks(ActivityTimer& activity, const MicroKernels& kernels,
                          const Stream& stream, const CounterClock& counter);

/// "activity 301.2 us, events 302.9 us, no counters".
std::string to_text(const ClockReadings& readings);

/// Throws Error(kWrong) with the readings where two disagree or the kernel was too short.
void check_clocks_agree(const ClockReadings& readings);

}  // namespace tilecast
