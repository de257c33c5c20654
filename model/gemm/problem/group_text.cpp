#include "model/gemm/problem/group_text.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr i64 kMostInText = i64{1} << 20;  // maximum number of groups
constexpr i64 kMostRows = (i64{1} << 31) - 1;

/// `part`: the invalid part; empty if the whole string is invalid.
[[noreturn]] void bad_groups(std::string_view text, std::string_view part = "") {
  throw ConfigError(
      fmt::format("groups '{}': expected the rows of each group, 1 to 2147483647 in total, such as "
                  "256,0,17, 4*8192 for equal groups, or 5,0,64/128 for masked ones{}",
                  printable(text), part.empty() ? "" : fmt::format(", got '{}'", printable(part))));
}

}  // namespace

std::string list_text(const GroupRows& groups) {
  const std::vector<i64>& rows = groups.rows();
  std::string text;
  for (std::size_t i = 0, next = 0; i < rows.size(); i = next) {
    while (next < rows.size() && rows[next] == rows[i]) {
      ++next;
    }
    text += text.empty() ? "" : ",";
    text += next - i == 1 ? fmt::format("{}", rows[i]) : fmt::format("{}*{}", next - i, rows[i]);
  }
  return groups.capacity() > 0 ? fmt::format("{}/{}", text, groups.capacity()) : text;
}

std::string to_text(const GroupRows& groups) {
  return std::string(groups.side() == GroupSide::kK ? kGroupsAlongK : "") + list_text(groups);
}

SharedGroupRows parse_group_rows(std::string_view given) {
  const GroupSide side = given.starts_with(kGroupsAlongK) ? GroupSide::kK : GroupSide::kM;
  const std::string_view text = given.substr(side == GroupSide::kK ? kGroupsAlongK.size() : 0);
  std::vector<i64> rows;
  i64 total = 0;
  const std::size_t slash = text.find('/');
  for (const std::string_view part : split(text.substr(0, slash), ',')) {
    const std::size_t star = part.find('*');
    const std::optional<i64> count =
        star == part.npos ? std::optional<i64>(1) : parse_integer(part.substr(0, star));
    const std::optional<i64> each = parse_integer(star == part.npos ? part : part.substr(star + 1));
    if (!count || *count < 1 || *count > kMostInText - static_cast<i64>(rows.size()) || !each ||
        *each < 0 || *each > kMostRows || *count * *each > kMostRows - total) {
      bad_groups(text, part);
    }
    rows.insert(rows.end(), static_cast<std::size_t>(*count), *each);
    total += *count * *each;
  }
  const std::optional<i64> capacity =
      slash == text.npos ? std::optional<i64>(0) : parse_integer(text.substr(slash + 1));
  if (total == 0 || !capacity || (slash != text.npos && *capacity < 1) ||
      *capacity > kMostRows / static_cast<i64>(rows.size())) {
    bad_groups(text);
  }
  return GroupRows::of(std::move(rows), *capacity, side);
}

void bad_groups_shape(std::string_view shape) {
  throw ConfigError(fmt::format(
      "shape '{}': expected groups as [256,0,17]x4096x7168: rows of each group, then N and K; "
      "or along K as 4096x7168x[256,0,17]",
      on_one_line(shape)));
}

std::optional<GroupedShape> split_groups(std::string_view shape) {
  const auto is_x = [&](std::size_t at) { return at < shape.size() && (shape[at] | 0x20) == 'x'; };
  const std::size_t begin = shape.find('['), end = shape.find(']');
  if (begin == shape.npos && end == shape.npos) {
    return std::nullopt;
  }
  if (begin == 0 && end != shape.npos && is_x(end + 1)) {
    return GroupedShape{parse_group_rows(shape.substr(1, end - 1)),
                        "1x" + std::string(shape.substr(end + 2))};
  }
  if (begin == shape.npos || begin == 0 || !is_x(begin - 1) || end + 1 != shape.size()) {
    bad_groups_shape(shape);
  }
  const std::string along_k =
      std::string(kGroupsAlongK) + std::string(shape.substr(begin + 1, end - begin - 1));
  return GroupedShape{parse_group_rows(along_k), std::string(shape.substr(0, begin - 1)) + "x1"};
}

}  // namespace tilecast
