// Which part of a CTA's tile a warpgroup computes: warpgroups along M first, as the kernels have it
// (kernels/device/mma.cuh). Checked by: tests/roles/roles_test.cpp, which holds it to what they
// store.
#pragma once

#include "model/gemm/config/kernel_config.h"

namespace tilecast {

/// Its first row and column, counted in the tile.
struct WarpgroupPart {
  i32 row, column;
};

/// `warpgroup`: of those that share the tile.
TILECAST_HD constexpr WarpgroupPart warpgroup_part(const Tiling& tiling, i32 warpgroup) {
  return {warpgroup % tiling.warpgroups_m * warpgroup_rows(tiling),
          warpgroup / tiling.warpgroups_m * warpgroup_columns(tiling)};
}

}  // namespace tilecast
