// One raster for each order of tiles. Different rasters can walk a problem's tiles in the same
// order, such as bands of 8 and of 16 rows if C has 5 rows of tiles.
// Checked by: normal_order_test.cpp (against the walks themselves).
#pragma once

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

/// The raster that stands for all that walk the tiles in the same order: a band of columns as wide
/// as C is walked row by row, and bands of one column are a band of rows as high as C.
Raster simplest(const Raster& raster, u32 tiles_m, u32 tiles_n);

/// One raster for all schedulers whose workers get the same tiles in the same order. If C has one
/// row or column of tiles, Hilbert curves are included; if no worker has a second tile, all rasters
/// are, since all tiles run at the same time. `resident`: workers that fit at once.
Raster normal_order(const TileScheduler& scheduler, u32 resident);

}  // namespace tilecast
