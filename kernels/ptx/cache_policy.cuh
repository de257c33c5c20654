// L2 cache policies, passed to memory instructions as a cache hint.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// Lines accessed with this policy are evicted first.
__device__ __forceinline__ u64 evict_first_policy() {
  u64 policy;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
  return policy;
}

}  // namespace tilecast::ptx
