// Sums over the 32 lanes of a warp; all lanes must call it.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// Returns the sum, valid in lane 0.
__device__ __forceinline__ double warp_sum(double value) {
  for (i32 offset = 16; offset > 0; offset /= 2) {
    value += __shfl_down_sync(0xffffffffu, value, offset);
  }
  return value;
}

}  // namespace tilecast
