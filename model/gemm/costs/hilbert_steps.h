// Estimates the mean number of steps that hilbert_cell() takes to find a tile.
//
// A step leaves a quarter of the cells, or half of them, and the step after a half leaves a half
// again: three steps per factor of sixteen, and none for the last few cells. Not modelled:
// rectangles whose long side is halved several times first. Checked by: hilbert_steps_test.cpp
// (against the steps of every cell).
#pragma once

#include <algorithm>
#include <cmath>

#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"

namespace tilecast {

/// Mean number of steps; 0 for other orders, which need two multiplications.
inline double hilbert_steps(const Raster& raster, u32 tiles_m, u32 tiles_n) {
  if (raster.kind != RasterKind::kHilbert || std::min(tiles_m, tiles_n) <= 1) {
    return 0;
  }
  constexpr double kOfEachLevel = 0.75;
  return std::max(1.0, kOfEachLevel * std::log2(double{1} * tiles_m * tiles_n) - 0.5);
}

/// Number of searches per tile that a storing role makes in sequence. If its first warp also loads,
/// it also searches for the tile to load.
constexpr i32 searches_per_tile(Schedule schedule) {
  const ScheduleTraits traits = traits_of(schedule);
  const bool loads_too = traits.loader == Loader::kMultiplier && traits.loads_run_ahead;
  return traits.tensor_core == TensorCore::kWgmma && loads_too ? 2 : 1;
}

}  // namespace tilecast
