// Computes the global memory for partial sums of a kernel whose workers share tiles along K.
#pragma once

#include "model/gemm/order/work_decomposition.h"

namespace tilecast {

/// Both must be zero before the first launch; kernels leave them zero for the next.
struct ReductionWorkspace {
  i64 partials;  // number of fp32 values
  i64 locks;     // number of 32-bit words
};

/// Returns the space for every tile that may be cut: its outputs, once or per split.
TILECAST_HD constexpr ReductionWorkspace reduction_workspace(const KernelConfig& config,
                                                             const WorkDecomposition& work) {
  const Tiling& t = config.tiling;
  const i64 tiles = i64{work.streamed} * cluster_size(t);
  const i64 copies =
      config.decomposition.reduction == Reduction::kSpread ? i64{work.splits} : i64{1};
  return {.partials = tiles * copies * t.block_m * t.block_n,
          .locks = tiles * warpgroups_per_tile(t)};
}

}  // namespace tilecast
