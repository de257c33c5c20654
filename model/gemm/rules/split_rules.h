// Determines which problems each way of splitting K supports.
#pragma once

#include <string>

#include "model/gemm/order/work_decomposition.h"

namespace tilecast {

/// Explains in one line why K of `k_blocks` blocks cannot be split as `config` specifies over
/// `resident` workers; empty if it can, or if the schedule does not split K.
std::string why_not_split(const TileScheduler& scheduler, i64 k_blocks, const KernelConfig& config,
                          u32 resident);

/// Whether the pieces of a tile wait for each other. Two such kernels on different streams could
/// each hold SMs that the other's pieces need, and deadlock.
constexpr bool needs_all_pieces_resident(const KernelConfig& config) {
  return splits_k(config.schedule) && config.decomposition.reduction == Reduction::kSpread;
}

}  // namespace tilecast
