// Predicted bytes compared with hardware counters, for rows that have them.
//
// A row's counters come from separate launches, with L2 in the same state as in timed ones. Checked
// by: byte_error_test.cpp.
#pragma once

#include <optional>

#include "model/spec/chip_counters.h"
#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Error of the L2 hit rate (1 - DRAM read / L2-to-SM bytes), in absolute fractions.
struct HitRateFigures {
  std::size_t points;
  double mean_error;
  double bias;  // mean of predicted minus measured
};

struct ByteFigures {
  std::optional<ErrorFigures> l2_to_sm, dram_read;
  std::optional<HitRateFigures> l2_hit;
};

/// Omits rows without counters, and counts of 0.
ByteFigures byte_figures(const ChipCounters& chip, const JoinedData& data);

}  // namespace tilecast
