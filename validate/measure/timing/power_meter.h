// Mean power of the GPU by the driver's energy counter, which moves in steps of 20 to 100 ms:
// energy between the first and the last step seen, over the time between them. Where fewer than two
// steps were seen in a second or more (readings that are far apart), energy over the whole time.
#pragma once

#include <chrono>
#include <optional>

#include "model/base/units.h"

namespace tilecast {

class PowerMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// The counter as it reads at `at`; nothing if it cannot be read. Called often.
  void read(std::optional<Joules> energy, Clock::time_point at);
  /// Nothing before two steps were seen, or before a second with one.
  std::optional<Watts> mean() const;

 private:
  struct Reading {
    Clock::time_point at;
    Joules energy;
  };
  std::optional<Reading> first_, previous_;  // of all readings
  std::optional<Reading> first_step_, last_step_;
};

}  // namespace tilecast
