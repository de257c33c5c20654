// A list of points as CSV: the columns op, m, n, k, dtype, layout and config of a measurement CSV,
// which therefore is such a list itself, and regime, inputs, l2_state and drawn where the file has
// them. All other columns are left aside. Checked by: point_list_test.cpp.
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

/// Plain, or .gz. A point that stands twice is listed once. Throws FileError, or ConfigError
/// `file:line: column: what was expected`.
std::vector<ListedPoint> read_point_list(const std::filesystem::path& path);
std::vector<ListedPoint> parse_point_list(std::string_view text, std::string_view name);

/// Header and one line each.
std::string point_list_csv(const std::vector<ListedPoint>& points);

}  // namespace tilecast
