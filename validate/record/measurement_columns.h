// The fixed columns of a measurement CSV: name, writer and reader.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "validate/record/measurement.h"

namespace tilecast {

struct MeasurementColumn {
  std::string_view name;
  bool required;  // required in every header; the others may be missing
  /// Returns an empty string if the value is absent.
  std::string (*write)(const Measurement&);
  /// Parses the field; throws ConfigError with the expectation.
  void (*read)(Measurement&, std::string_view);
};

/// Columns in reading order, because the meaning of a field depends on the op.
std::span<const MeasurementColumn> measurement_column_table();

/// Throws ConfigError `column: expectation` if the problem spells out a default.
void check_problem(const Point& point);

/// Throws ConfigError `column: expectation` if the fields contradict each other.
void check_row(const Measurement& measurement);

}  // namespace tilecast
