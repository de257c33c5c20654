// All CTAs of a grid that is resident at once start together, or none gives a sample.
#pragma once

#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

constexpr u64 kStartPatience = 2000000;  // ns, after which a CTA gives up: never a deadlock

/// Called by one thread of each CTA; `counter` is zero at launch. False where some CTA did not
/// come: what this one would time is not what the host asked for, so it leaves its sample
/// unwritten.
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
