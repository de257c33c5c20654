#include "validate/plan/shard.h"

#include <fmt/format.h>

#include <vector>

#include "model/base/refuse.h"
#include "model/base/text.h"

namespace tilecast {

Shard parse_shard(std::string_view text) {
  const std::vector<std::string_view> parts = split(text, '/');
  const i64 index = parts.size() == 2 ? parse_integer(parts[0]).value_or(0) : 0;
  const i64 count = parts.size() == 2 ? parse_integer(parts[1]).value_or(0) : 0;
  refuse_if(index < 1 || count > kMostShards || index > count,
            "--shard '{}': expected I/N with I from 1 to N, such as 3/16", text);
  return {index, count};
}

std::string to_text(const Shard& shard) { return fmt::format("{}/{}", shard.index, shard.count); }

}  // namespace tilecast
