// Checks that the clocks that time a kernel agree, once per run, on a kernel of some hundred
// microseconds: CUPTI Activity records, CUDA events around the kernel and, if counters are
// available, gpu__time_duration. If times differ by more than 2 %, one of them is broken and the
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

constexpr double kClocksAgree = 0.02;          // largest |one / other - 1| of two clocks
constexpr Seconds kShortestForClocks{100e-6};  // the overhead of events dominates shorter times

/// Returns gpu__time_duration of the work that `launch` enqueues; std::nullopt if
/// counters are unavailable.
using CounterClock = std::function<std::optional<Seconds>(const std::function<void()>& launch)>;

struct ClockReadings {
  Seconds activity, events;
  std::optional<Seconds> counter;
};

/// Returns medians over a few launches of one kernel that fills memory.
ClockReadings read_clocks(ActivityTimer& activity, const MicroKernels& kernels,
                          const Stream& stream, const CounterClock& counter);

/// "activity 301.2 us, events 302.9 us, no counters".
std::string to_text(const ClockReadings& readings);

/// Throws Error(kWrong) with the readings if two disagree or the kernel was too short.
void check_clocks_agree(const ClockReadings& readings);

}  // namespace tilecast
