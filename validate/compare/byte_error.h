// Predicted bytes beside hardware counters, where rows have them.
//
// A row's counters come from launches of their own, with L2 as the timed ones find it.
// Checked by: byte_error_test.cpp.
#pragma once

#include <optional>

#include "model/spec/chip_counters.h"
#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Mean distance of the L2 hit rate (1 - DRAM read / L2-to-SM bytes), both as fractions of 1.
struct HitRateFigures {
  std::size_t points;
  double mean_error;
  double bias;  // predicted less counted
};

struct ByteFigures {
  std::optional<ErrorFigures> l2_to_sm, dram_read;
  std::optional<HitRateFigures> l2_hit;
};

/// Left out: rows without the counters, counts of 0.
ByteFigures byte_figures(const ChipCounters& chip, const JoinedData& data);

}  // namespace tilecast
