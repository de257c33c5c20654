// All CTAs of a grid that is resident at once start together.
#pragma once

#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

constexpr u64 kStartPatience = 2000000;  // ns, after which a CTA starts alone: never a deadlock

/// Called by one thread of each CTA; `counter` is zero at launch.
__device__ inline void wait_for_grid(u32* counter) {
  __threadfence();
  atomicAdd(counter, 1u);
  const u64 since = ptx::globaltimer();
  while (*static_cast<volatile u32*>(counter) < gridDim.x &&
         ptx::globaltimer() - since < kStartPatience) {
  }
}

}  // namespace tilecast
