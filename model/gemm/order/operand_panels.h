// Computes the indices of the panels of A and B that a tile reads: the rows of A or columns of B
// that it covers, over the whole K. The GEMMs of a batch have separate panels or share those of
// one matrix. Each non-empty group has its own panels of B; the panel of A in which a group ends
// also holds rows of the next one. Checked by: operand_panels_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "model/gemm/order/tile_scheduler.h"

namespace tilecast {

class OperandPanels {
 public:
  /// Panels of a batch of GEMMs with `rows` x `columns` tiles each.
  OperandPanels(const Batch& batch, u32 rows, u32 columns);

  /// Panels of cluster tiles, or of CTA tiles.
  static OperandPanels of_clusters(const GemmProblem& problem, const Tiling& t);
  static OperandPanels of_ctas(const GemmProblem& problem, const Tiling& t);

  u32 columns() const { return columns_; }  // columns of tiles
  u32 of_a() const { return one_a_ ? rows_ : rows_ * products_; }
  u32 of_b() const { return columns_ * matrices_of_b_; }
  u32 matrices_of_b() const { return matrices_of_b_; }  // number of matrices of B that are read
  u32 a(TileCoord tile) const { return one_a_ ? tile.m % rows_ : tile.m; }
  u32 b(TileCoord tile) const { return matrix_of_b(tile.m) * columns_ + tile.n; }
  /// For each matrix of B that is read, its number of tile rows.
  std::vector<u32> readers_of_b() const;

 private:
  u32 matrix_of_b(u32 row) const {
    return matrices_of_b_ == 1 ? 0 : groups_ != nullptr ? (*groups_)[row] : row / rows_;
  }
  static OperandPanels of(const GemmProblem& problem, const Tiling& t, u32 rows, u32 columns);

  u32 rows_, columns_;  // tiles per GEMM
  u32 products_;
  bool one_a_;
  u32 matrices_of_b_;
  // Set for groups: index among the non-empty groups of each row of tiles.
  std::shared_ptr<const std::vector<u32>> groups_;
};

}  // namespace tilecast
