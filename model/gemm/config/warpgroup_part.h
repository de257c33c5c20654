// Defines the part of a CTA's tile that a warpgroup computes: warpgroups are numbered along M
// first, as in the kernels (kernels/device/mma.cuh). Checked by: tests/roles/roles_test.cpp,
// against the kernels' stores.
#pragma once

#include "model/gemm/config/kernel_config.h"

namespace tilecast {

/// First row and column of the part, relative to the tile.
struct WarpgroupPart {
  i32 row, column;
};

/// `warpgroup`: index among those that share the tile.
TILECAST_HD constexpr WarpgroupPart warpgroup_part(const Tiling& tiling, i32 warpgroup) {
  return {warpgroup % tiling.warpgroups_m * warpgroup_rows(tiling),
          warpgroup / tiling.warpgroups_m * warpgroup_columns(tiling)};
}

}  // namespace tilecast
