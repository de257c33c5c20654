// Host stand-in for kernels/device/group_table.cuh, without warp sums: one thread fills the table.
// It is in memory that the threads of a grid share, because all CTAs have the same table.
#pragma once

#define fill_group_table fill_group_table_by_a_warp
#include_next "kernels/device/group_table.cuh"
#undef fill_group_table

namespace tilecast {

alignas(kSwizzleAtomBytes) inline char dynamic[256 * 1024];

template <class Config>
void fill_group_table(const Args<Config>& args, GroupNumbers) {
  GroupTable& table = GroupTable::here<Config>();
  const i32 height = Config::kTiling.block_m * Config::kTiling.cluster_m;
  const TileScheduler& host = args.scheduler;
  table.first[0] = {0, 0};
  for (i32 group = 0; group < args.groups.count; ++group) {
    const i32 first = table.first_row(args.groups, group);
    const i32 end = args.groups.rows[group] + (args.groups.capacity > 0 ? first : 0);
    const i32 rows = end - first;
    table.first[group + 1] = {
        end, table.first[group].tile_row + static_cast<u32>(ceil_div(rows, height))};
  }
  table.scheduler = TileScheduler::of(table.first[args.groups.count].tile_row, host.tiles_n,
                                      gridDim.x / Config::kClusterSize, host.raster);
}

}  // namespace tilecast
