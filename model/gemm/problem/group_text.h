// Groups in a shape: "[256,0,17]x4096x7168", where one product has M; equal neighbours in short,
// "[4*8192]x4096x7168"; masked ones with the room that each has, "[5,0,64/128]x4096x7168". Or where
// it has K: "4096x7168x[256,0,17]".
// Checked by: group_text_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/gemm/problem/group_rows.h"

namespace tilecast {

constexpr std::string_view kGroupsAlongK = "k:";  // before their rows, where no shape says so

/// "256,0,17"; "4*8192"; "5,0,64/128"; of groups along K "k:256,0,17".
std::string to_text(const GroupRows& groups);
/// The same of either side, without its name.
std::string list_text(const GroupRows& groups);

/// Inverse of to_text, runs of equal ones in short or not. Throws ConfigError unless they are 1 to
/// 2^20 groups of 1 to 2^31 - 1 rows together, with those that masked ones leave.
SharedGroupRows parse_group_rows(std::string_view text);

/// Of a shape that has groups: they, and the shape with a 1 in their place.
struct GroupedShape {
  SharedGroupRows groups;
  std::string sides;
};
/// None where the shape neither begins nor ends with a bracket.
std::optional<GroupedShape> split_groups(std::string_view shape);

/// Throws ConfigError that says what a shape with groups is.
[[noreturn]] void bad_groups_shape(std::string_view shape);

}  // namespace tilecast
