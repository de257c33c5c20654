// Compares configurations measured alternately: the ratio of two times within a round, which
// cancels slow drift of the GPU, and the spread of that ratio. Checked by: pair_rounds_test.cpp.
#pragma once

#include <string>
#include <vector>

#include "validate/record/measurement_csv.h"

namespace tilecast {

/// `other` compared with `first`, for one problem under one regime.
struct PairedConfigs {
  Point first, other;
  std::size_t rounds = 0;  // number of rounds with a verified row of both
  /// The ratio other / first. The quartiles have no confidence interval.
  struct Ratio {
    double median, q1, q3;
  } time{}, cycles{};
};

/// Pairs the rows that have a round, grouped by point without configuration. The group's first row
/// is `first`. Pairs without a common round are omitted.
std::vector<PairedConfigs> pair_rounds(const MeasurementFile& file);

/// Formats "8192x8192x512 fp16 tn burst: B / A: time 0.9871 (0.9865 to 0.9880), cycles ... in 10
/// rounds".
std::string to_text(const PairedConfigs& pair);

}  // namespace tilecast
