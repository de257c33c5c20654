// Maps the clocks of SMs to one clock. Every SM counts cycles from its own start, and the SMs of
// each GPC at their own frequency: up to 1.5 % apart on an H200 under load. So each SM's cycles are
// mapped to globaltimer through readings of both.
//
// A map is linear between knots. Knots are an SM's first and last reading, and in between the next
// reading at least 8 us after the previous knot. If all of an SM's readings are closer together
// than that, its map has the mean frequency of all SMs and passes through the mean of its readings.
//
// Not covered: a frequency that changes between two knots. globaltimer advances in steps: its
// readings are half a step late on average, which cancels between SMs. Checked by:
// sm_clocks_test.cpp (synthetic clocks).
#pragma once

#include <map>
#include <span>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

/// Nanoseconds count from a start that the caller chooses, cycles from a separate start for each
/// SM.
struct SmReading {
  u32 smid;
  i64 cycles, ns;
};

class SmClocks {
 public:
  /// Throws Error(kWrong) if no SM's cycles and nanoseconds both advance.
  explicit SmClocks(std::vector<SmReading> readings);

  /// Returns the time at which SM `smid`, which must have readings, was at `cycles`.
  Seconds time(u32 smid, i64 cycles) const;

  Hertz mean() const { return mean_; }
  /// Lowest frequency among SMs with two knots; without any, the mean.
  Hertz slowest() const { return slowest_; }
  Hertz fastest() const { return fastest_; }
  /// Error of a mapped time: half a step of globaltimer or, if larger, the largest distance of a
  /// reading from its SM's map.
  Seconds error() const { return error_; }

 private:
  struct Knot {
    double cycles, ns;
  };

  std::map<u32, std::vector<Knot>> knots_;  // at least two knots per SM
  Hertz mean_{}, slowest_{}, fastest_{};
  Seconds error_{};
};

}  // namespace tilecast
