#include "model/gemm/order/normal_order.h"

namespace tilecast {

Raster simplest(const Raster& raster, u32 tiles_m, u32 tiles_n) {
  const u32 group = static_cast<u32>(raster.group);
  const bool by_columns = raster.kind == RasterKind::kGroupedN && group == 1;
  if (by_columns || (raster.kind == RasterKind::kGroupedM && group >= tiles_m)) {
    return {RasterKind::kGroupedM, static_cast<i32>(tiles_m), raster.walk};
  }
  if (raster.kind == RasterKind::kGroupedN && group >= tiles_n) {
    return {RasterKind::kGroupedM, 1, raster.walk};
  }
  return raster;
}

Raster normal_order(const TileScheduler& s, u32 resident) {
  const Raster row_by_row{RasterKind::kGroupedM, 1, Walk::kStrided};
  const Raster by_columns{RasterKind::kGroupedM, static_cast<i32>(s.tiles_m), Walk::kStrided};
  if (s.num_tiles() <= resident) {
    return row_by_row;
  }
  const bool line = s.tiles_m == 1 || s.tiles_n == 1;
  Raster order = line ? row_by_row : simplest(s.raster, s.tiles_m, s.tiles_n);
  order.walk = Walk::kStrided;
  if (s.raster.walk == Walk::kStrided || s.workers == 1) {
    return order;
  }
  // With as many workers as tile columns, each worker takes a column, whether it walks a chunk of
  // columns or strides over rows. Likewise for rows.
  if (!line && order == by_columns && s.workers == s.tiles_n) {
    return row_by_row;
  }
  if (!line && order == row_by_row && s.workers == s.tiles_m) {
    return by_columns;
  }
  order.walk = Walk::kChunked;
  return order;
}

}  // namespace tilecast
