// The groups of a grouped GEMM. Along M they are rows of A and C, each group with a separate B.
// Along K, as in a backward pass (dW = X^T dY of each expert), they are rows of A as [K,M] and of B
// as [K,N], each group with a separate C, which is zero if the group is empty.
//
// Groups are packed, or (along M only) masked: each has space for `capacity` rows and uses the
// first of them; the others are left unchanged. These counts exist on the host; kernels read the
// device's array, whose counts may differ.
//
// Checked by: group_rows_test.cpp.
#pragma once

#include <atomic>
#include <utility>
#include <vector>

#include "model/base/integers.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// The dimension divided into groups.
enum class GroupSide : i32 { kM, kK };

class GroupRows {
 public:
  /// `capacity` 0: not masked. Throws ConfigError if a number is negative or above the capacity, or
  /// if groups along K are masked.
  static SharedGroupRows of(std::vector<i64> rows, i64 capacity = 0,
                            GroupSide side = GroupSide::kM);

  const std::vector<i64>& rows() const { return rows_; }
  i64 count() const { return static_cast<i64>(rows_.size()); }
  GroupSide side() const { return side_; }
  i64 capacity() const { return capacity_; }
  i64 total() const { return total_; }
  i64 largest() const { return largest_; }
  /// Number of non-empty groups.
  i64 not_empty() const { return not_empty_; }
  /// Whether all non-empty groups have the same size.
  bool are_equal() const { return total_ == largest_ * not_empty_; }
  /// Rows from the first group's start to the last group's end, including unused capacity.
  i64 rows_in_memory() const;
  /// Returns each group's first row in memory, followed by rows_in_memory().
  std::vector<i32> first_rows() const;
  /// Returns the contents of the device array: the end row of each group or, if masked, its number
  /// of rows.
  std::vector<i32> on_device() const;

  /// Number of tile rows with this height. A tile does not straddle groups, and empty groups have
  /// none.
  u32 tile_rows(i64 height) const;
  std::vector<u32> groups_of_tile_rows(i64 height) const;

 private:
  friend class SharedGroupRows;

  GroupRows(std::vector<i64> rows, i64 capacity, GroupSide side);

  mutable std::atomic<u32> owners_ = 0;
  std::vector<i64> rows_;
  // each number of rows that occurs, and how many groups have it
  std::vector<std::pair<i64, i64>> sizes_;
  GroupSide side_ = GroupSide::kM;
  i64 capacity_ = 0, total_ = 0, largest_ = 0, not_empty_ = 0;
};

inline bool grouped_along_m(const GemmProblem& problem) {
  return problem.groups != nullptr && problem.groups->side() == GroupSide::kM;
}
inline bool grouped_along_k(const GemmProblem& problem) {
  return problem.groups != nullptr && problem.groups->side() == GroupSide::kK;
}

/// Returns `problem` with these groups; the grouped dimension becomes their sum.
GemmProblem in_groups(GemmProblem problem, SharedGroupRows groups);
GemmProblem in_groups(GemmProblem problem, std::vector<i64> rows);
GemmProblem in_groups_of_k(GemmProblem problem, std::vector<i64> rows);

/// Number of K blocks per tile, for each matrix of C. An empty group takes one, of zeros.
std::vector<u32> k_blocks_of_products(const GemmProblem& problem, const Tiling& tiling);

constexpr i64 kMostGroups = 1024;  // limit of the kernels, from the table in shared memory

/// Bytes of shared memory for groups along M; 0 without groups.
i32 group_table_bytes(const GemmProblem& problem);
/// Bytes of shared memory in addition to smem_layout: the table of groups or block scales.
i32 bytes_beside_layout(const GemmProblem& problem, const KernelConfig& config);

/// A row of CTA tiles.
struct TileRow {
  i64 of_a;  // rows of A from the tile row's first row to the end of A; none if below 1
  i64 of_c;  // rows of C from there to the end of the GEMM or group
};

/// Returns all rows of tiles of the problem in order, over all GEMMs or groups. Includes those of a
/// cluster that are out of bounds.
std::vector<TileRow> cta_tile_rows(const GemmProblem& problem, const Tiling& tiling);

/// Rows of A covered by the tiles of a whole problem. If a group ends inside a tile, the rows after
/// it are loaded and multiplied, but not stored.
struct RowsOfTiles {
  i64 tiles;     // rows of CTA tiles with at least one row of A
  i64 existing;  // rows of A in all of them
  i64 loaded;    // rows of A, plus out-of-bounds rows that are loaded
};
RowsOfTiles rows_of_tiles(const GemmProblem& problem, const KernelConfig& config);
/// FLOPs on existing operands, counted as in tensor_flops; with groups, includes rows that are not
/// stored.
double multiplied_flops(const GemmProblem& problem, const KernelConfig& config);
/// FLOPs of the tiles' out-of-bounds rows and columns, where one operand is zero.
double flops_out_of_bounds(const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
