// A time in whole picoseconds, so that sums and comparisons are exact.
#pragma once

#include <compare>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

struct Picoseconds {
  i64 ps = 0;

  constexpr auto operator<=>(const Picoseconds&) const = default;
  constexpr Picoseconds operator+(Picoseconds other) const { return {ps + other.ps}; }
  constexpr Picoseconds operator-(Picoseconds other) const { return {ps - other.ps}; }
  constexpr Picoseconds operator*(i64 factor) const { return {ps * factor}; }
  constexpr Picoseconds& operator+=(Picoseconds other) {
    ps += other.ps;
    return *this;
  }
};

/// The later of two times, without a branch that could be mispredicted.
constexpr Picoseconds later(Picoseconds a, Picoseconds b) { return {a.ps > b.ps ? a.ps : b.ps}; }

constexpr Seconds seconds_of(Picoseconds time) {
  return {static_cast<double>(time.ps) * si::kPico};
}

}  // namespace tilecast
