// Splits "32:b*1024x1024x512" into batch and shape.
// Checked by: cli/read_problems_test.cpp.
#pragma once

#include <optional>
#include <string_view>

namespace tilecast {

struct BatchedShape {
  std::optional<std::string_view> batch;  // text for parse_batch; not set if the shape has no `*`
  std::string_view shape;
};

constexpr BatchedShape split_batch(std::string_view text) {
  const std::size_t star = text.find('*');
  return star == text.npos || text.find('[') < star  // the `*` in [4*256] belongs to groups
             ? BatchedShape{{}, text}
             : BatchedShape{text.substr(0, star), text.substr(star + 1)};
}

}  // namespace tilecast
