// Formats and parses the groups of a shape: "[256,0,17]x4096x7168" in place of M,
// "[4*8192]x4096x7168" for equal neighbours, "[5,0,64/128]x4096x7168" for masked groups and their
// capacity; or in place of K: "4096x7168x[256,0,17]". Checked by: group_text_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/gemm/problem/group_rows.h"

namespace tilecast {

constexpr std::string_view kGroupsAlongK = "k:";  // marks groups along K in a list without shape

/// Formats "256,0,17"; "4*8192"; "5,0,64/128"; for groups along K "k:256,0,17".
std::string to_text(const GroupRows& groups);
/// Formats the groups without the prefix for K.
std::string list_text(const GroupRows& groups);

/// Inverse of to_text; runs of equal groups may be abbreviated. Throws ConfigError unless there are
/// 1 to 2^20 groups with 1 to 2^31 - 1 rows in total, including unused capacity.
SharedGroupRows parse_group_rows(std::string_view text);

/// The groups of a shape, and the shape with a 1 in their position.
struct GroupedShape {
  SharedGroupRows groups;
  std::string sides;
};
/// Splits a shape; std::nullopt if it neither begins nor ends with a bracket.
std::optional<GroupedShape> split_groups(std::string_view shape);

/// Throws a ConfigError that explains the syntax of shapes with groups.
[[noreturn]] void bad_groups_shape(std::string_view shape);

}  // namespace tilecast
