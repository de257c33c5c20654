// Mean power of the GPU from the driver's energy counter, which advances in steps of 20 to 100 ms:
// the energy between the first and the last step seen, divided by the time between them. If fewer
// than two steps were seen in a second or more, because readings are sparse, it is the energy over
// the whole time.
#pragma once

#include <chrono>
#include <optional>

#include "model/base/units.h"

namespace tilecast {

class PowerMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// Records the counter's value at `at`; std::nullopt if it cannot be read. Call often.
  void read(std::optional<Joules> energy, Clock::time_point at);
  /// Returns std::nullopt until two steps, or one step in a second, were seen.
  std::optional<Watts> mean() const;

 private:
  struct Reading {
    Clock::time_point at;
    Joules energy;
  };
  std::optional<Reading> first_, previous_;  // over all readings
  std::optional<Reading> first_step_, last_step_;
};

}  // namespace tilecast
