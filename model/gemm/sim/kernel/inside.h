// Computes the length of a block's part inside the matrix.
#pragma once

#include <algorithm>

#include "model/base/integers.h"

namespace tilecast {

/// Number of the rows [first, first + length) that are below `extent`.
inline i64 inside(i64 first, i64 length, i64 extent) {
  return std::clamp<i64>(extent - first, 0, length);
}

}  // namespace tilecast
