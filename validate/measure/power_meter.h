// Mean power of the GPU by the driver's energy counter, which moves in steps of 20 to 100 ms:
// energy between the first and the last step seen, over the time between them.
#pragma once

#include <chrono>
#include <optional>

#include "model/base/units.h"

namespace tilecast {

class PowerMeter {
 public:
  using Clock = std::chrono::steady_clock;

  /// The counter as it reads at `at`; nothing where it cannot be read. Called often.
  void read(std::optional<Joules> energy, Clock::time_point at);
  /// Nothing before two steps were seen.
  std::optional<Watts> mean() const;

 private:
  struct Step {
    Clock::time_point at;
    Joules energy;
  };
  std::optional<Step> first_, last_;
  std::optional<Joules> previous_;
};

}  // namespace tilecast
