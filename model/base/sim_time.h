// Simulated time: whole picoseconds, so that equal inputs give equal orders of events on every
// machine. Rates of the SM clock and rates in seconds both end here; only this file rounds.
#pragma once

#include <cmath>

#include "model/base/picoseconds.h"
#include "model/base/units.h"

namespace tilecast {

using SimTime = Picoseconds;

inline SimTime sim_time(Seconds time) { return {std::llround(time.value * 1e12)}; }
inline SimTime sim_time(Cycles cycles, Hertz sm_clock) {
  return sim_time(time_of(cycles, sm_clock));
}

}  // namespace tilecast
