// The rows that each group of a grouped GEMM has. Along M they are rows of A and C, and every group
// multiplies a B of its own. Along K, as a backward pass has them (dW = X^T dY of each expert),
// they are rows of A as [k,m] and of B as [k,n], and every group sums into a C of its own: zeros
// where it has none.
//
// Rows of groups follow each other, or groups along M are masked: each has room for `capacity`
// rows, fills the first of them, and the others are left as they are. Known to the host alone:
// kernels read the groups from the device's memory.
//
// Checked by: group_rows_test.cpp.
#pragma once

#include <atomic>
#include <vector>

#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// The side of a problem that is parted into groups.
enum class GroupSide : i32 { kM, kK };

class GroupRows {
 public:
  /// A capacity of 0: not masked. Throws ConfigError where a number is negative, or above the
  /// capacity, or groups along K are masked.
  static SharedGroupRows of(std::vector<i64> rows, i64 capacity = 0,
                            GroupSide side = GroupSide::kM);

  const std::vector<i64>& rows() const { return rows_; }
  i64 count() const { return static_cast<i64>(rows_.size()); }
  GroupSide side() const { return side_; }
  i64 capacity() const { return capacity_; }
  i64 total() const { return total_; }
  i64 largest() const { return largest_; }
  /// Groups that have rows.
  i64 not_empty() const { return not_empty_; }
  /// Whether all of those have as many.
  bool are_equal() const { return total_ == largest_ * not_empty_; }
  /// From the first group's first to the last one's, with the room that masked ones leave.
  i64 rows_in_memory() const;
  /// Each group's first row in memory, and rows_in_memory.
  std::vector<i32> first_rows() const;
  /// What a kernel reads on the device: of each the row behind its last, of masked ones its rows.
  std::vector<i32> on_device() const;

  /// Rows of tiles of that height. None holds rows of two groups, and empty groups have none.
  u32 tile_rows(i64 height) const;
  /// The group of each of them.
  std::vector<u32> groups_of_tile_rows(i64 height) const;

 private:
  friend class SharedGroupRows;

  GroupRows(std::vector<i64> rows, i64 capacity, GroupSide side);

  mutable std::atomic<u32> owners_ = 0;
  std::vector<i64> rows_;
  GroupSide side_ = GroupSide::kM;
  i64 capacity_ = 0, total_ = 0, largest_ = 0, not_empty_ = 0;
};

inline bool grouped_along_m(const GemmProblem& problem) {
  return problem.groups != nullptr && problem.groups->side() == GroupSide::kM;
}
inline bool grouped_along_k(const GemmProblem& problem) {
  return problem.groups != nullptr && problem.groups->side() == GroupSide::kK;
}

/// `problem` with these groups; the side that they part becomes their sum.
GemmProblem in_groups(GemmProblem problem, SharedGroupRows groups);
GemmProblem in_groups(GemmProblem problem, std::vector<i64> rows);
GemmProblem in_groups_of_k(GemmProblem problem, std::vector<i64> rows);

/// K blocks of a tile of each matrix of C. Of a group without rows one, of zeros.
std::vector<u32> k_blocks_of_products(const GemmProblem& problem, const Tiling& tiling);

constexpr i64 kMostGroups = 1024;  // that a kernel walks; more would take too much shared memory

/// Shared memory that a kernel takes for groups along M; 0 where there are none.
i32 group_table_bytes(const GemmProblem& problem);
/// Shared memory beside what smem_layout lays out: that table, or the scales of blocks.
i32 bytes_beside_layout(const GemmProblem& problem, const KernelConfig& config);

/// A CTA's row of tiles.
struct TileRow {
  i64 of_a;  // rows of A from its first one on, to the end of A; below 1: none
  i64 of_c;  // the same of C, to the end of the product or the group
};

/// Of the whole problem, in order: of all products or groups, with those of a cluster that lie out
/// of bounds.
std::vector<TileRow> cta_tile_rows(const GemmProblem& problem, const Tiling& tiling);

/// Rows of A as the tiles of the whole problem see them. Where a group ends inside a tile, the rows
/// behind it are loaded and multiplied, and not stored.
struct RowsOfTiles {
  i64 tiles;     // CTAs' rows of tiles with at least one row of A
  i64 existing;  // rows of A in them, of all together
  i64 loaded;    // the same with what is asked for out of bounds of A
};
RowsOfTiles rows_of_tiles(const GemmProblem& problem, const KernelConfig& config);
/// What tensor cores multiply but zeros: tensor_flops, of groups with what is not stored.
double multiplied_flops(const GemmProblem& problem, const KernelConfig& config);
/// What they multiply of tiles' rows and columns that lie out of bounds, where one operand is
/// zeros.
double flops_out_of_bounds(const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
