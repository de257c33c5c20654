// Which group a tile is of, where only the device knows how many rows each has. The groups' rows
// of tiles follow each other, so no tile straddles two groups and an empty one has none.
//
// Each CTA sums the rows of tiles itself, in shared memory behind what smem_layout.h lays out: the
// producer's warp, before the roles part. Groups follow each other, or are masked: each has room
// for as many rows and says how many it has. Whatever the numbers are, every tile lies within the m
// rows of A and C, of masked groups within their own; of numbers out of order the groups overlap.
// Checked by: validate/measure/group_test.cpp.
#pragma once

#include "kernels/device/stage_ring.cuh"
#include "kernels/ptx/warp.cuh"

#ifdef TILECAST_GROUPED
namespace tilecast {

struct GroupTable {
  /// The tiles of all groups.
  TileScheduler scheduler;
  /// The end row of the group before, which is where a masked group does not begin (first_row), and
  /// the group's first row of tiles; last, of those behind all.
  struct First {
    i32 row;
    u32 tile_row;
  } first[1];  // as many as groups, and one

  __device__ static GroupTable& here() {
    extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
    constexpr i32 kBefore = kSmem.total_bytes + scale_ring_bytes(fused(), kTiling);
    return *reinterpret_cast<GroupTable*>(dynamic + kBefore);
  }

  /// A group's, of A and C.
  __device__ i32 first_row(const GroupArgs& groups, i32 group) const {
    return groups.capacity > 0 ? group * groups.capacity : first[group].row;
  }

  /// The group that a row of tiles is of: the last that starts there or before.
  __device__ u32 group_of(u32 tile_row, i32 groups) const {
    u32 from = 0;
    u32 to = static_cast<u32>(groups);
    while (to - from > 1) {
      const u32 middle = (from + to) / 2;
      (first[middle].tile_row <= tile_row ? from : to) = middle;
    }
    return from;
  }
};

static_assert(sizeof(GroupTable) <= group_table_bytes(0));

/// By one whole warp. Every other one sees it behind the CTA's next barrier.
__device__ inline void fill_group_table(const GemmArgs& args) {
  GroupTable& table = GroupTable::here();
  const i32 groups = args.groups.count, capacity = args.groups.capacity;
  const i32 lane = static_cast<i32>(threadIdx.x % 32);
  const i32 height = kTiling.block_m * kTiling.cluster_m;
  u32 before = 0;
  for (i32 of_lane_0 = 0; of_lane_0 <= groups; of_lane_0 += 32) {
    const i32 group = of_lane_0 + lane;
    const auto end_before = [&](i32 index) {
      const i32 of_group = index == 0 ? 0 : args.groups.rows[min_of(index, groups) - 1];
      return capacity > 0 && index > 0
                 ? (index - 1) * capacity + min_of(max_of(of_group, 0), capacity)
                 : min_of(max_of(of_group, 0), args.m);
    };
    const i32 row = end_before(group);
    const i32 from = capacity > 0 ? group * capacity : row;
    u32 sum = group < groups
                  ? static_cast<u32>(ceil_div(max_of(end_before(group + 1) - from, 0), height))
                  : 0;
    const u32 own = sum;
#pragma unroll
    for (i32 distance = 1; distance < 32; distance *= 2) {
      const u32 other = __shfl_up_sync(0xffffffff, sum, distance);
      sum += lane >= distance ? other : 0;
    }
    if (group <= groups) {
      table.first[group] = {row, before + sum - own};
    }
    before += __shfl_sync(0xffffffff, sum, 31);
  }
  if (lane == 0) {
    const TileScheduler& host = args.scheduler;
    table.scheduler =
        TileScheduler::of(max_of(before, 1u), host.tiles_n, gridDim.x / kClusterSize, host.raster);
    table.scheduler.tiles_m = before;
  }
  __syncwarp();
}

}  // namespace tilecast
#endif
