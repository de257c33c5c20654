// Errors by category: schedule, bottleneck, or size, and of predicted bytes against hardware
// counters for rows that have them. A row's counters come from separate launches, with L2 in the
// same state as in timed ones.
//
// Checked by: error_parts_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "model/spec/chip_counters.h"
#include "validate/compare/join.h"
#include "validate/compare/statistics.h"

namespace tilecast {

/// Absolute relative errors, except for the coverage.
struct PartFigures {
  std::size_t points;
  double time_mape, time_median;
  std::optional<double> cycles_mape, cycles_median;
  double coverage;  // fraction of measured times inside the predicted interval
};

/// Size classes by measured time; a boundary value belongs to the larger size.
enum class TimeSize { kUnder20Us, kFrom20Us, kFrom100Us, kFrom1Ms };

std::string_view to_text(TimeSize size);
TimeSize size_of(Seconds measured_time);

std::map<AnySchedule, PartFigures> error_by_schedule(const JoinedData& data);
/// Errors grouped by predicted bottleneck and by time.
std::map<Limiter, PartFigures> error_by_limiter(const JoinedData& data);
std::map<TimeSize, PartFigures> error_by_size(const JoinedData& data);

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
