// Simulated time in whole picoseconds, so that equal inputs give equal event orders on every
// machine. Cycles and seconds are both rounded here and nowhere else.
#pragma once

#include "model/base/picoseconds.h"
#include "model/base/units.h"

namespace tilecast {

using SimTime = Picoseconds;

/// Rounds halves away from zero. Inlined, unlike std::llround.
constexpr i64 rounded(double value) {
  return static_cast<i64>(value < 0 ? value - 0.5 : value + 0.5);
}

inline SimTime sim_time(Seconds time) { return {rounded(time.value * si::kTera)}; }
inline SimTime sim_time(Cycles cycles, Hertz sm_clock) {
  return sim_time(time_of(cycles, sm_clock));
}

}  // namespace tilecast
