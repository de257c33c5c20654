// One raster for each order of tiles: several texts can name the order in which a kernel walks a
// problem's tiles, such as bands of 8 and of 16 rows where C has 5 rows of tiles.
// Checked by: normal_order_test.cpp (against the walks themselves).
#pragma once

#include "model/tile/tile_scheduler.h"

namespace tilecast {

/// The name that all names of one order of tiles become: a band of columns as wide as C is walked
/// row by row, and one column after the other is a band of rows as high as C.
Raster simplest(const Raster& raster, u32 tiles_m, u32 tiles_n);

/// Further one raster for two schedulers whose workers get the same tiles in the same order: of one
/// row or column of tiles, a Hilbert curve too; and whatever the raster, of workers that have one
/// tile each at most, since all run at the same time. `resident`: workers that fit at once.
Raster normal_order(const TileScheduler& scheduler, u32 resident);

}  // namespace tilecast
