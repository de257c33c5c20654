// Which panel of A and of B a tile reads: the rows of A, or the columns of B, that its side covers,
// over the whole K. Products of a batch have panels of their own, or share one matrix's.
// Checked by: operand_panels_test.cpp.
#pragma once

#include "model/tile/tile_scheduler.h"

namespace tilecast {

struct OperandPanels {
  u32 rows, columns;  // of tiles, of one product
  u32 products;
  bool one_a, one_b;

  TILECAST_HD static constexpr OperandPanels of(const Batch& batch, u32 rows, u32 columns) {
    return {rows, columns, static_cast<u32>(batch.products), batch.one_a, batch.one_b};
  }

  TILECAST_HD constexpr u32 of_a() const { return one_a ? rows : rows * products; }
  TILECAST_HD constexpr u32 of_b() const { return one_b ? columns : columns * products; }
  TILECAST_HD constexpr u32 a(TileCoord tile) const { return one_a ? tile.m % rows : tile.m; }
  TILECAST_HD constexpr u32 b(TileCoord tile) const {
    return one_b || products == 1 ? tile.n : tile.m / rows * columns + tile.n;
  }
};

}  // namespace tilecast
