// Bounded waits: a barrier that never completes traps the kernel instead of hanging the GPU. The
// bound costs one comparison on a path that is waiting anyway.
#pragma once

#include "kernels/ptx/mbarrier.cuh"

namespace tilecast::ptx {

/// Far more tries than any real wait needs; each failed try may itself suspend for microseconds.
constexpr u32 kMostTries = 1u << 22;

__device__ __forceinline__ void mbarrier_wait_or_trap(u32 barrier, u32 parity) {
  for (u32 tries = 0; !mbarrier_try_wait(barrier, parity); ++tries) {
    if (tries == kMostTries) {
      __trap();
    }
  }
}

}  // namespace tilecast::ptx
