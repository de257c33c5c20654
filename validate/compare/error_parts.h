// Errors by category: schedule, bottleneck, or size.
//
// Checked by: error_parts_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string_view>

#include "validate/compare/join.h"

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

}  // namespace tilecast
