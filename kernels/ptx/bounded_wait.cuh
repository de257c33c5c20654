// Waits that end: a barrier that never flips traps the kernel instead of holding the GPU for ever.
// The bound costs one comparison on the path that waits already.
#pragma once

#include "kernels/ptx/mbarrier.cuh"

namespace tilecast::ptx {

/// Far beyond any real wait: each failed try may itself suspend for microseconds.
constexpr u32 kMostTries = 1u << 22;

__device__ __forceinline__ void mbarrier_wait_or_trap(u32 barrier, u32 parity) {
  for (u32 tries = 0; !mbarrier_try_wait(barrier, parity); ++tries) {
    if (tries == kMostTries) {
      __trap();
    }
  }
}

}  // namespace tilecast::ptx
