// Maps the clocks of SMs to one clock. Every SM counts cycles from its own start, and the SMs of
// each GPC at their own frequency: up to 1.5 % apart on an H200 at work. So each SM's cycles are
// mapped to the wall clock by readings of both.
//
// A map is linear between knots: an SM's first and last reading, and in between the next one at
// least 8 us after the previous knot. If all of an SM's readings are closer together than that, its
// map has the mean frequency of all SMs and passes through their mean.
//
// Leaves out: a frequency that changes between two knots. The wall clock moves in steps: all its
// readings are late by half a step on average, which cancels between SMs.
// Checked by: sm_clocks_test.cpp (synthetic clocks).
#pragma once

#include <map>
#include <span>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

/// Counted from a start of the caller's, the cycles from one for each SM.
struct SmReading {
  u32 smid;
  i64 cycles, ns;
};

class SmClocks {
 public:
  /// Throws Error(kWrong) where there is no SM whose cycles and nanoseconds both advance.
  explicit SmClocks(std::vector<SmReading> readings);

  /// When SM `smid`, which has readings, was at `cycles`.
  Seconds time(u32 smid, i64 cycles) const;

  Hertz mean() const { return mean_; }
  /// The lowest frequency of SMs with two knots; else the mean.
  Hertz slowest() const { return slowest_; }
  Hertz fastest() const { return fastest_; }
  /// Error of a mapped time: half a step of the wall clock or, if larger, the largest distance of a
  /// reading from its SM's map.
  Seconds error() const { return error_; }

 private:
  struct Knot {
    double cycles, ns;
  };

  std::map<u32, std::vector<Knot>> knots_;  // of each SM, at least two
  Hertz mean_{}, slowest_{}, fastest_{};
  Seconds error_{};
};

}  // namespace tilecast
