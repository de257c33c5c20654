// One of several equal parts of a list of work.
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

/// "3/16", from 1. Throws ConfigError.
Shard parse_shard(std::string_view text);
std::string to_text(const Shard& shard);

}  // namespace tilecast
