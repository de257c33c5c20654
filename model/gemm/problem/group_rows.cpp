#include "model/gemm/problem/group_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/refuse.h"
#include "model/gemm/config/smem_layout.h"

namespace tilecast {
namespace {

/// Distance in memory from a group's first row to the next group's first row, for a group with
/// `rows`.
i64 rows_apart(const GroupRows& groups, i64 rows) {
  return groups.capacity() > 0 ? groups.capacity() : rows;
}

}  // namespace

GroupRows::GroupRows(std::vector<i64> rows, i64 capacity, GroupSide side)
    : rows_(std::move(rows)),
      side_(side),
      capacity_(capacity),
      total_(std::accumulate(rows_.begin(), rows_.end(), i64{0})),
      largest_(rows_.empty() ? 0 : std::ranges::max(rows_)),
      not_empty_(std::ranges::count_if(rows_, [](i64 of_group) { return of_group > 0; })) {
  std::map<i64, i64> groups_of_size;
  for (const i64 of_group : rows_) {
    ++groups_of_size[of_group];
  }
  sizes_.assign(groups_of_size.begin(), groups_of_size.end());
}

void SharedGroupRows::retain() const { list_->owners_.fetch_add(1, std::memory_order_relaxed); }

void SharedGroupRows::release() const {
  if (list_->owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete list_;
  }
}

bool SharedGroupRows::equals(const GroupRows& other) const {
  return list_->side_ == other.side_ && list_->capacity_ == other.capacity_ &&
         list_->rows_ == other.rows_;
}

SharedGroupRows GroupRows::of(std::vector<i64> rows, i64 capacity, GroupSide side) {
  if (const auto wrong = std::ranges::find_if(rows, [](i64 of_group) { return of_group < 0; });
      wrong != rows.end()) {
    throw ConfigError(fmt::format("groups: expected at least 0 rows per group, got {}", *wrong));
  }
  if (capacity != 0 && !rows.empty() && std::ranges::max(rows) > capacity) {
    throw ConfigError(
        fmt::format("groups: expected at most {} rows per group, the capacity, got {}", capacity,
                    std::ranges::max(rows)));
  }
  refuse_if(capacity != 0 && side == GroupSide::kK, "groups along K cannot have a capacity");
  return SharedGroupRows(new GroupRows(std::move(rows), capacity, side));
}

i64 GroupRows::rows_in_memory() const {
  return capacity_ > 0 ? capacity_ * static_cast<i64>(rows_.size()) : total_;
}

std::vector<i32> GroupRows::first_rows() const {
  std::vector<i32> first{0};
  for (const i64 rows : rows_) {
    first.push_back(first.back() + static_cast<i32>(rows_apart(*this, rows)));
  }
  return first;
}

std::vector<i32> GroupRows::on_device() const {
  if (capacity_ > 0) {
    return {rows_.begin(), rows_.end()};
  }
  std::vector<i32> ends = first_rows();
  ends.erase(ends.begin());
  return ends;
}

u32 GroupRows::tile_rows(i64 height) const {
  i64 sum = 0;
  for (const auto& [rows, groups] : sizes_) {
    sum += ceil_div(rows, height) * groups;
  }
  return static_cast<u32>(sum);
}

std::vector<u32> GroupRows::groups_of_tile_rows(i64 height) const {
  std::vector<u32> groups;
  for (std::size_t group = 0; group < rows_.size(); ++group) {
    groups.insert(groups.end(), static_cast<std::size_t>(ceil_div(rows_[group], height)),
                  static_cast<u32>(group));
  }
  return groups;
}

GemmProblem in_groups(GemmProblem problem, SharedGroupRows groups) {
  (groups->side() == GroupSide::kM ? problem.shape.m : problem.shape.k) = groups->total();
  problem.groups = std::move(groups);
  return problem;
}

GemmProblem in_groups(GemmProblem problem, std::vector<i64> rows) {
  return in_groups(std::move(problem), GroupRows::of(std::move(rows)));
}

GemmProblem in_groups_of_k(GemmProblem problem, std::vector<i64> rows) {
  return in_groups(std::move(problem), GroupRows::of(std::move(rows), 0, GroupSide::kK));
}

std::vector<u32> k_blocks_of_products(const GemmProblem& problem, const Tiling& t) {
  const auto blocks = [&t](i64 k) { return static_cast<u32>(ceil_div<i64>(k, t.block_k)); };
  if (!grouped_along_k(problem)) {
    return std::vector<u32>(static_cast<std::size_t>(matrices_of_c(problem)),
                            blocks(problem.shape.k));
  }
  std::vector<u32> all;
  for (const i64 rows : problem.groups->rows()) {
    all.push_back(std::max(1u, blocks(rows)));
  }
  return all;
}

i32 bytes_beside_layout(const GemmProblem& problem, const KernelConfig& config) {
  return group_table_bytes(problem) + scale_ring_bytes(problem.epilogue, config.tiling) +
         c_slots_beside(config, c_column_bytes(problem));
}

i32 group_table_bytes(const GemmProblem& problem) {
  return grouped_along_m(problem) ? group_table_bytes(matrices_of_b(problem)) : 0;
}

std::vector<TileRow> cta_tile_rows(const GemmProblem& problem, const Tiling& t) {
  std::vector<TileRow> tiles;
  const i64 height = i64{t.block_m} * t.cluster_m;
  const auto add = [&](i64 of_a, i64 of_c) {
    for (i64 row = 0; row < round_up(of_c, height); row += t.block_m) {
      tiles.push_back({of_a - row, of_c - row});
    }
  };
  if (grouped_along_m(problem)) {
    i64 left = problem.groups->rows_in_memory();
    for (const i64 rows : problem.groups->rows()) {
      add(left, rows);
      left -= rows_apart(*problem.groups, rows);
    }
  } else {
    for (i64 product = 0; product < matrices_of_c(problem); ++product) {
      add(problem.shape.m, problem.shape.m);
    }
  }
  return tiles;
}

RowsOfTiles rows_of_tiles(const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  RowsOfTiles sum{};
  if (grouped_along_m(problem)) {
    const i64 height = i64{t.block_m} * t.cluster_m;
    sum.existing = problem.groups->tile_rows(height) * height;
    sum.tiles = sum.existing / t.block_m;
    i64 behind = 0;  // rows of A after the group; only the last groups' tiles exceed A
    for (auto rows = problem.groups->rows().rbegin();
         rows != problem.groups->rows().rend() && behind < height; ++rows) {
      behind += rows_apart(*problem.groups, *rows);
      const i64 whole = round_up(*rows, height), covered = std::min(whole, behind);
      sum.tiles -= whole / t.block_m - ceil_div<i64>(covered, t.block_m);
      sum.existing -= whole - covered;
    }
    sum.loaded = sum.tiles * t.block_m;
    return sum;
  }
  const i64 m = problem.shape.m, last = m % t.block_m;
  const i64 tiles = ceil_div<i64>(m, t.block_m);
  const i64 loaded =
      loads_existing_rows(problem, config)
          ? m - last +
                a_rows_loaded(static_cast<i32>(last), t.block_m, a_rows_step(t, problem.layout))
          : tiles * t.block_m;
  const i64 products = matrices_of_c(problem);
  return {tiles * products, m * products, loaded * products};
}

double multiplied_flops(const GemmProblem& problem, const KernelConfig& config) {
  return grouped_along_m(problem)
             ? tensor_flops(problem.dtype,
                            gemm_flops(GemmShape{rows_of_tiles(problem, config).existing,
                                                 problem.shape.n, problem.shape.k}))
             : tensor_flops(problem);
}

double flops_out_of_bounds(const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i64 rows = rows_of_tiles(problem, config).tiles * t.block_m;
  const i64 columns = round_up<i64>(problem.shape.n, t.block_n);
  const double tiles =
      tensor_flops(problem.dtype, 2.0 * static_cast<double>(rows * columns) * mean_k(problem));
  return std::max(0.0, tiles - multiplied_flops(problem, config));
}

}  // namespace tilecast
