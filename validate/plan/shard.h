// One of several equal parts of a work list.
#pragma once

#include <string>
#include <string_view>

#include "model/base/integers.h"

namespace tilecast {

struct Shard {
  i64 index = 1, count = 1;  // 1 <= index <= count

  bool operator==(const Shard&) const = default;
};

constexpr i64 kMostShards = 100'000;

/// Parses "3/16"; the index starts at 1. Throws ConfigError.
Shard parse_shard(std::string_view text);
std::string to_text(const Shard& shard);

}  // namespace tilecast
