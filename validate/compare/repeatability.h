// How well a measurement repeats: the same points in two files, from two processes with fresh
// allocations, and the relative differences of their cycles, clocks and times.
// Checked by: repeatability_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

/// |b / a - 1| over the points.
struct Differences {
  double median, p95, worst;
};

struct Repeatability {
  std::size_t points = 0;                          // in both files, right and with cycles
  std::size_t in_one_only = 0;                     // of the points that are right
  std::optional<Differences> cycles, clock, time;  // absent without points
  // Kendall's tau of the times in one run against those in the other, mean over what is compared
  // with each other (a problem in a regime, at least three points): the most that a model's order
  // can be expected to reach. Absent where there is none.
  std::optional<double> order;
  std::size_t groups = 0;   // that it is the mean of
  std::string worst_point;  // by cycles
};

/// Of a point that a file has several times, its last row. Rows that are not ok do not count.
Repeatability repeatability(const MeasurementFile& a, const MeasurementFile& b);

/// What must hold of two runs on one card.
constexpr double kMostMedianCycles = 0.01, kMostP95Cycles = 0.03, kMostMedianClock = 0.005;

/// One line for each bar that is missed.
std::vector<std::string> missed_bars(const Repeatability& found);

}  // namespace tilecast
