// A list of points as CSV: the columns op, m, n, k, dtype, layout and config of a measurement CSV
// (which is therefore such a list), and optionally regime, inputs, l2_state and drawn. Other
// columns are ignored. Checked by: point_list_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "validate/record/measurement.h"

namespace tilecast {

struct ListedPoint {
  Point point;
  std::string drawn;
};

/// Reads plain text or .gz. Repeated points are listed once. Throws FileError, or ConfigError
/// `file:line: column: expectation`.
std::vector<ListedPoint> read_point_list(const std::filesystem::path& path);
std::vector<ListedPoint> parse_point_list(std::string_view text, std::string_view name);

/// Formats a header and one line per point.
std::string point_list_csv(const std::vector<ListedPoint>& points);

}  // namespace tilecast
