#include "model/form/hard_bounds.h"

#include <algorithm>

namespace tilecast {

Seconds HardBounds::least_time(Hertz sm_clock) const {
  return std::max({time_of(std::max(tensor, intake), sm_clock), dram, launch});
}

Seconds HardBounds::least_on_any_card(Hertz sm_clock) const {
  const Hertz highest = std::max(sm_clock, highest_clock);
  return std::max({time_of(std::max(tensor, intake), highest), dram_peak, launch});
}

}  // namespace tilecast
