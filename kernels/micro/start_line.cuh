// Grid-wide start barrier: all CTAs of a resident grid start together, or none writes a sample.
#pragma once

#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

constexpr u64 kStartPatience = 2000000;  // ns until a CTA gives up, to rule out a deadlock

/// Waits for all CTAs; called by one thread of each CTA. `counter` is zero at launch. Returns false
/// if some CTA did not arrive; then the timing would not be what the host requested, and this CTA
/// does not write its sample.
[[nodiscard]] __device__ inline bool wait_for_grid(u32* counter) {
  __threadfence();
  atomicAdd(counter, 1u);
  const u64 since = ptx::globaltimer();
  while (*static_cast<volatile u32*>(counter) < gridDim.x) {
    if (ptx::globaltimer() - since > kStartPatience) {
      return false;
    }
  }
  return true;
}

}  // namespace tilecast
