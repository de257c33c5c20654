// CUTLASS's published heuristic for splitting K in its stream-K scheduler for Hopper (include/
// cutlass/gemm/kernel/tile_scheduler_params.h), as a baseline for the model's own choice. It uses
// counts of tiles and workers, no times.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/order/work_decomposition.h"

namespace tilecast {

struct RuleChoice {
  Schedule schedule;  // kWarpSpecialized: whole tiles
  u32 splits;         // for kSplitK

  constexpr bool operator==(const RuleChoice&) const = default;
};

/// Whole tiles if there is no partial wave, if K is short, or if the last wave is at least half
/// full. Otherwise stream-K for the partial wave and a full one, or split-K if units divide evenly
/// among fewer tiles.
TILECAST_HD constexpr RuleChoice published_rule(u32 tiles, u32 workers, i32 k_blocks) {
  constexpr i32 kShortK = 8;
  const u32 tail = tiles % workers;
  if (tail == 0 || k_blocks <= kShortK || 2 * tail >= workers) {
    return {Schedule::kWarpSpecialized, 1};
  }
  if (tiles > workers) {
    return {Schedule::kStreamKHybrid, 1};
  }
  const u32 units =
      static_cast<u32>(min_of<u64>(workers, u64{tiles} * static_cast<u32>(k_blocks) / kShortK));
  return units > tiles && units % tiles == 0 ? RuleChoice{Schedule::kSplitK, units / tiles}
                                             : RuleChoice{Schedule::kStreamK, 1};
}

}  // namespace tilecast
