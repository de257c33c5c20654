// Integer types for headers that NVRTC also compiles, where <cstdint> does not exist.
#pragma once

namespace tilecast {

using i32 = int;
using u32 = unsigned int;
using i64 = long long;
using u64 = unsigned long long;

static_assert(sizeof(i32) == 4 && sizeof(i64) == 8, "LP64 or LLP64 only");

}  // namespace tilecast
