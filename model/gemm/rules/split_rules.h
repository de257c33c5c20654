// Which problems a configuration's way to split K applies to.
#pragma once

#include <string>

#include "model/gemm/order/work_decomposition.h"

namespace tilecast {

/// Why K of `k_blocks` blocks cannot be split as `config` says over `resident` workers, as one
/// line; empty where it can, and for schedules that do not split K.
std::string why_not_split(const TileScheduler& scheduler, i64 k_blocks, const KernelConfig& config,
                          u32 resident);

/// Whether the pieces of a tile wait for each other, so that the kernel never ends beside another
/// that holds the SMs which some of them need and waits in the same way.
constexpr bool needs_all_pieces_resident(const KernelConfig& config) {
  return splits_k(config.schedule) && config.decomposition.reduction == Reduction::kSpread;
}

}  // namespace tilecast
