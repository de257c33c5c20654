// From the clocks of SMs to one clock. Every SM counts cycles from a start of its own, and the SMs
// of a GPC at a frequency of their own: up to 1.5 % apart on an H200 at work. So each SM's cycles
// are put on the wall clock by readings of both.
//
// A map is straight between knots: an SM's first and last reading, and in between the next one that
// is 8 us behind the knot before. Where an SM's readings are all nearer together than that, it runs
// at the mean frequency of all through their mean.
//
// Leaves out: a frequency that changes between two knots. The wall clock moves in steps: all its
// readings are late by half a step in the mean, which cancels between SMs.
// Checked by: sm_clocks_test.cpp (clocks made up).
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
  /// Of those SMs that have two knots; else the mean.
  Hertz slowest() const { return slowest_; }
  Hertz fastest() const { return fastest_; }
  /// Of a time: half a step of the wall clock or, where that is more, the farthest reading's
  /// distance from its SM's map.
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
