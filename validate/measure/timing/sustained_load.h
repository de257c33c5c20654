// Times a launch under its own continuous load: launches without a gap for at least 250 ms, then a
// window of another second, or of the requested length, in five slices, each with its own clock
// reading.
//
// The load is enqueued round by round, 45 ms ahead of the GPU, so that a host that is delayed by
// some milliseconds causes no gap; NVML, whose readings take that long, is read by another thread
// (NvmlWatch). The GPU's events show the elapsed time. Once that and the enqueued work are long
// enough, the slices follow without a pause. The kernel records are then checked: length of the
// load and of the slices, no gap above 1 ms. Checked by: sustained_load_test.cpp.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "model/base/units.h"
#include "validate/measure/timing/block_rules.h"
#include "validate/measure/timing/launch_times.h"
#include "validate/measure/timing/nvml.h"
#include "validate/measure/timing/power_meter.h"
#include "validate/measure/timing/timer_parts.h"

namespace tilecast {

/// Reads NVML during a load, in a separate thread: a reading can take longer than the work that is
/// enqueued ahead of the GPU, and would cause a gap in the load.
class NvmlWatch {
 public:
  /// Reads repeatedly from `settle` on, until end() or destruction. `nvml` must outlive it.
  NvmlWatch(const Nvml& nvml, std::chrono::milliseconds settle);

  struct Seen {
    std::optional<Watts> power;       // mean power, from the energy counter
    std::optional<u64> clock_events;  // union of all bits seen
  };
  /// Stops reading and returns the results.
  Seen end();

 private:
  void read(const std::stop_token& stopped, std::chrono::milliseconds settle);

  const Nvml& nvml_;
  PowerMeter meter_;  // used by the thread until it has ended, like the next member
  std::optional<u64> clock_events_;
  std::jthread thread_;
};

constexpr Seconds kLongestGap{1e-3};  // longest gap in a load that still counts as continuous

/// `spans`: all kernels of the load, in order. `slices`: the counted ones, which must last for
/// `least`. Returns one line with the violation and its time; empty if there is none.
std::string why_not_sustained(Kernels spans, std::span<const Kernels> slices, Seconds least);

/// Rules for the time slices: five, measured together. The drift tolerance is wider because the
/// clock varies more at the power cap.
constexpr BlockRules kSliceRules{
    .least = 3, .most = 5, .most_taken = 5, .quiet_spread = 0.005, .clock_drift = 0.03};

/// Throws Error(kNoDevice) if the load was interrupted or CUPTI lost records three times, and
/// Error(kWrong) if the clock drifted in most slices. Launches cycle through the buffer sets.
TimedWorkload time_under_load(TimerParts& parts, const Workload& workload, Seconds window);

}  // namespace tilecast
