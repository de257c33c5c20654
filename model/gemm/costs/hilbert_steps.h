// How many steps hilbert_cell() takes for a tile, in the mean: what finding one costs a thread.
//
// A quartering leaves a quarter of the cells, or half of them, which are halved next; so three
// steps for each factor of sixteen, and the last few cells need none. Leaves out: sides so unequal
// that they are halved several times first. Checked by: hilbert_steps_test.cpp (against the steps
// of every cell).
#pragma once

#include <algorithm>
#include <cmath>

#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"

namespace tilecast {

/// 0 for other orders, which are found by two multiplications.
inline double hilbert_steps(const Raster& raster, u32 tiles_m, u32 tiles_n) {
  if (raster.kind != RasterKind::kHilbert || std::min(tiles_m, tiles_n) <= 1) {
    return 0;
  }
  constexpr double kOfEachLevel = 0.75;
  return std::max(1.0, kOfEachLevel * std::log2(double{1} * tiles_m * tiles_n) - 0.5);
}

/// Times that a role which stores C does so for a tile, one after the other: where its first warp
/// loads too it looks for the tile to load as well.
constexpr i32 searches_per_tile(Schedule schedule) {
  const ScheduleTraits traits = traits_of(schedule);
  const bool loads_too = traits.loader == Loader::kMultiplier && traits.loads_run_ahead;
  return traits.tensor_core == TensorCore::kWgmma && loads_too ? 2 : 1;
}

}  // namespace tilecast
