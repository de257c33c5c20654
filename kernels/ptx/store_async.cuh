// Stores into the shared memory of another CTA of the cluster, whose barrier counts their bytes.
#pragma once

#include "model/base/integers.h"

namespace tilecast::ptx {

/// `destination` and `barrier` are this CTA's addresses; both lie in CTA `rank` at the same place.
__device__ __forceinline__ void store_async_four(u32 destination, float4 v, u32 barrier, u32 rank) {
  asm volatile(
      "{\n"
      ".reg .b32 to, remote;\n"
      "mapa.shared::cluster.u32 to, %0, %6;\n"
      "mapa.shared::cluster.u32 remote, %5, %6;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [to], {%1, %2, %3, %4}, "
      "[remote];\n"
      "}" ::"r"(destination),
      "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w), "r"(barrier), "r"(rank)
      : "memory");
}

}  // namespace tilecast::ptx
