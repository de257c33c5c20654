// Maps tiles to groups when the row counts of groups are known only on the device. The groups' tile
// rows are concatenated, so no tile straddles two groups and an empty group has none.
//
// Each CTA computes the prefix sum of tile rows, in shared memory after the layout of
// smem_layout.h. The producer's warp does this before the roles split, while barriers are
// initialised. Groups are contiguous, or masked: each has the same capacity and a count of its
// valid rows. For any counts, every tile stays within the m rows of A and C and, for masked groups,
// within its group's capacity; with offsets out of order, groups overlap.
//
// Checked by: validate/measure/gemm/random_gemm_test.cpp.
#pragma once

#include "kernels/device/stage_ring.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

struct GroupTable {
  /// Scheduler of the tiles of all groups.
  TileScheduler scheduler;
  /// `row`: the end of the previous group (for masked groups see first_row()). `tile_row`: the
  /// group's first row of tiles. The last entry is the end.
  struct First {
    i32 row;
    u32 tile_row;
  } first[1];  // groups + 1 entries

  template <class Config>
  __device__ static GroupTable& here() {
    extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
    constexpr i32 kBefore = Config::kRingsEnd;
    return *reinterpret_cast<GroupTable*>(dynamic + kBefore);
  }

  /// First row of a group in A and C.
  __device__ i32 first_row(const GroupArgs& groups, i32 group) const {
    return groups.capacity > 0 ? group * groups.capacity : first[group].row;
  }

  /// The group of a row of tiles: the last group that starts at or before that row.
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

/// Entries of the list for a group and for the previous one.
struct GroupNumbers {
  i32 before, own;

  __device__ static GroupNumbers of(const GroupArgs& groups, i32 group) {
    const i32 last = groups.count - 1;
    return {groups.rows[max_of(min_of(group - 1, last), 0)], groups.rows[min_of(group, last)]};
  }
};

/// Computes FastDivisor::of with one division of doubles and a correction, because a division of
/// 64-bit integers takes hundreds of cycles. `divisor` is at least 1.
__device__ inline FastDivisor fast_divisor(u32 divisor) {
  const i32 shift = divisor == 1 ? 0 : 32 - __clz(static_cast<i32>(divisor - 1));
  const u64 numerator = u64{1} << (31 + shift);
  u32 quotient = __double2uint_rz(static_cast<double>(numerator) / divisor);
  const i64 left = static_cast<i64>(numerator - static_cast<u64>(quotient) * divisor);
  quotient += left < 0 ? ~0u : left >= static_cast<i64>(divisor) ? 1 : 0;
  return {divisor, quotient + 1, static_cast<u32>(shift)};
}

/// Called by one whole warp; each lane has loaded the row count of the group whose index is the
/// lane's. Every other warp sees the table after the CTA's next barrier.
template <class Config>
__device__ inline void fill_group_table(const Args<Config>& args, GroupNumbers next) {
  GroupTable& table = GroupTable::here<Config>();
  const i32 groups = args.groups.count, capacity = args.groups.capacity;
  const i32 lane = static_cast<i32>(threadIdx.x % 32);
  const i32 height = Config::kTiling.block_m * Config::kTiling.cluster_m;
  u32 before = 0;
  for (i32 of_lane_0 = 0; of_lane_0 <= groups; of_lane_0 += 32) {
    const i32 group = of_lane_0 + lane;
    const GroupNumbers numbers = next;
    if (of_lane_0 + 32 <= groups) {
      next = GroupNumbers::of(args.groups, group + 32);
    }
    const auto end_of = [&](i32 index, i32 number) {
      return capacity > 0 ? index * capacity + min_of(max_of(number, 0), capacity)
                          : min_of(max_of(number, 0), args.m);
    };
    const i32 row = group == 0 ? 0 : end_of(group - 1, numbers.before);
    const i32 from = capacity > 0 ? group * capacity : row;
    u32 sum = group < groups
                  ? static_cast<u32>(ceil_div(max_of(end_of(group, numbers.own) - from, 0), height))
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
  // computes what TileScheduler::of does, with one lane per divisor
  const TileScheduler& host = args.scheduler;
  const u32 tiles_m = max_of(before, 1u), workers = gridDim.x / Config::kClusterSize;
  const BandDivisors bands = BandDivisors::of(tiles_m, host.tiles_n, host.raster);
  const FastDivisor divisor = fast_divisor(lane == 0   ? bands.band
                                           : lane == 1 ? bands.width
                                                       : bands.last_width);
  TileScheduler& made = table.scheduler;
  if (lane < 3) {
    (lane == 0 ? made.band : lane == 1 ? made.width : made.last_width) = divisor;
  } else if (lane == 3) {
    made.tiles_m = before;
    made.tiles_n = host.tiles_n;
    made.workers = workers;
    made.raster = host.raster;
    made.chunk = ceil_div(tiles_m * host.tiles_n, workers);
  }
  __syncwarp();
}

}  // namespace tilecast
