// Configurations that were measured in turns, laid side by side: the ratio of two times of one
// round, which slow drift of the card leaves alone, and how far the ratios spread.
// Checked by: pair_rounds_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

/// `other` beside `first`, on one problem under one regime.
struct PairedConfigs {
  Point first, other;
  std::size_t rounds = 0;  // in which both were measured and right
  /// other / first. Of the quartiles' own spread nothing is claimed.
  struct Ratio {
    double median, q1, q3;
  } time{}, cycles{};
};

/// Rows with a round, grouped by all of a point but its configuration; the group's first row names
/// `first`. Pairs without a common round are left out.
std::vector<PairedConfigs> pair_rounds(const MeasurementFile& file);

/// "8192x8192x512 fp16 tn burst: B / A: time 0.9871 (0.9865 to 0.9880), cycles ... in 10 rounds"
std::string to_text(const PairedConfigs& pair);

}  // namespace tilecast
