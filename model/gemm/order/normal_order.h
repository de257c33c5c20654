// Maps equivalent rasters to one representative. Different rasters can visit a problem's tiles in
// the same order, such as swizzle groups of 8 and of 16 rows if C has 5 rows of tiles.
// Checked by: normal_order_test.cpp (against the walks themselves).
#pragma once

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

/// Returns the representative for one walk over all tiles: a group of columns as wide as C is row
/// order; groups of one column are one group of rows as high as C.
Raster simplest(const Raster& raster, u32 tiles_m, u32 tiles_n);

/// Returns the representative of all schedulers whose workers get the same tiles in the same order.
/// If C has one row or column of tiles, Hilbert curves are among them. If no worker has a second
/// tile, all rasters are, because all tiles run at the same time. `resident`: workers that fit at
/// once.
Raster normal_order(const TileScheduler& scheduler, u32 resident);

}  // namespace tilecast
