// Host stand-in for kernels/ptx/cluster.cuh: the CTAs of a cluster run in sequence.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline u32 cluster_cta_rank() { return kernel_calls::running.rank; }
inline void cluster_arrive() {}
inline void cluster_arrive_relaxed() {}
inline void cluster_wait() {}

}  // namespace tilecast::ptx
