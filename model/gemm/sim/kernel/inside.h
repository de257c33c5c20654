// How much of a block exists, where a matrix ends inside it.
#pragma once

#include <algorithm>

#include "model/base/integers.h"

namespace tilecast {

/// Of the `length` rows from `first` on those below `extent`.
inline i64 inside(i64 first, i64 length, i64 extent) {
  return std::clamp<i64>(extent - first, 0, length);
}

}  // namespace tilecast
