// Which panel of A and of B a tile reads: the rows of A, or the columns of B, that its side covers,
// over the whole K. Products of a batch have panels of their own, or share one matrix's; each group
// that has rows has its B's, and a panel of A where it ends holds rows of the next one, too.
// Checked by: operand_panels_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

class OperandPanels {
 public:
  /// Of a batch whose products have so many rows and columns of tiles.
  OperandPanels(const Batch& batch, u32 rows, u32 columns);

  /// As cluster tiles read them, or CTAs' tiles.
  static OperandPanels of_clusters(const GemmProblem& problem, const Tiling& t);
  static OperandPanels of_ctas(const GemmProblem& problem, const Tiling& t);

  u32 columns() const { return columns_; }  // of tiles
  u32 of_a() const { return one_a_ ? rows_ : rows_ * products_; }
  u32 of_b() const { return columns_ * matrices_of_b_; }
  u32 matrices_of_b() const { return matrices_of_b_; }  // that are read
  u32 a(TileCoord tile) const { return one_a_ ? tile.m % rows_ : tile.m; }
  u32 b(TileCoord tile) const { return matrix_of_b(tile.m) * columns_ + tile.n; }
  /// Of each matrix of B that is read, the rows of tiles that read it.
  std::vector<u32> readers_of_b() const;

 private:
  u32 matrix_of_b(u32 row) const {
    return matrices_of_b_ == 1 ? 0 : groups_ != nullptr ? (*groups_)[row] : row / rows_;
  }
  static OperandPanels of(const GemmProblem& problem, const Tiling& t, u32 rows, u32 columns);

  u32 rows_, columns_;  // of tiles, of one product
  u32 products_;
  bool one_a_;
  u32 matrices_of_b_;
  // Of groups: which of those that have rows each row of tiles is of.
  std::shared_ptr<const std::vector<u32>> groups_;
};

}  // namespace tilecast
