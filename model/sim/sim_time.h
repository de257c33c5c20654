// Simulated time: whole picoseconds, so that equal inputs give equal orders of events on every
// machine. Rates of the SM clock and rates in seconds both end here; only this file rounds.
#pragma once

#include <cmath>
#include <compare>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

struct SimTime {
  i64 ps = 0;

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime operator+(SimTime other) const { return {ps + other.ps}; }
  constexpr SimTime operator-(SimTime other) const { return {ps - other.ps}; }
  constexpr SimTime operator*(i64 factor) const { return {ps * factor}; }
  constexpr SimTime& operator+=(SimTime other) {
    ps += other.ps;
    return *this;
  }
};

inline SimTime sim_time(Seconds time) { return {std::llround(time.value * 1e12)}; }
inline SimTime sim_time(Cycles cycles, Hertz sm_clock) {
  return sim_time(time_of(cycles, sm_clock));
}
constexpr Seconds seconds_of(SimTime time) { return {static_cast<double>(time.ps) * 1e-12}; }

}  // namespace tilecast
