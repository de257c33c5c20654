// Reads NVML during a load, in a separate thread: a reading can take longer than the work that is
// enqueued ahead of the GPU, and would cause a gap in the load.
#pragma once

#include <chrono>
#include <optional>
#include <thread>

#include "model/base/units.h"
#include "validate/measure/timing/nvml.h"
#include "validate/measure/timing/power_meter.h"

namespace tilecast {

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

}  // namespace tilecast
