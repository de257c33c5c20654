// Simulated time: whole picoseconds, so that equal inputs give equal orders of events on every
// machine. Rates of the SM clock and rates in seconds both end here; only this file rounds.
#pragma once

#include "model/base/picoseconds.h"
#include "model/base/units.h"

namespace tilecast {

using SimTime = Picoseconds;

/// Halves away from zero. In line, as std::llround is not.
constexpr i64 rounded(double value) {
  return static_cast<i64>(value < 0 ? value - 0.5 : value + 0.5);
}

inline SimTime sim_time(Seconds time) { return {rounded(time.value * si::kTera)}; }
inline SimTime sim_time(Cycles cycles, Hertz sm_clock) {
  return sim_time(time_of(cycles, sm_clock));
}

}  // namespace tilecast
