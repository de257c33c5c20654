#include "model/gemm/problem/group_rows.h"

#include "model/base/error.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/order/tile_scheduler.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

GemmProblem grouped(std::vector<i64> rows) {
  return in_groups({{0, 96, 64}, ElementType::kFp16, Layout::kTn}, std::move(rows));
}

KernelConfig tiles_of(i32 block_m, i32 cluster_m) {
  KernelConfig config = fixed_by_schedule(Schedule::kPingPong);
  config.tiling.block_m = block_m;
  config.tiling.block_n = 96;
  config.tiling.block_k = 64;
  config.tiling.cluster_m = cluster_m;
  return config;
}

}  // namespace

TEST_CASE("Equal lists of groups compare equal, so equal problems do") {
  CHECK(GroupRows::of({256, 0, 17}) == GroupRows::of({256, 0, 17}));
  CHECK(GroupRows::of({256, 17}) != GroupRows::of({256, 0, 17}));
  CHECK(grouped({256, 17}) == grouped({256, 17}));
  CHECK_FALSE(grouped({256, 17}) == grouped({17, 256}));
}

TEST_CASE("Copies of a problem share its list, which outlives the first of them") {
  GemmProblem copy{};
  {
    const GemmProblem first = grouped({256, 0, 17});
    copy = first;
    CHECK(&*copy.groups == &*first.groups);
    copy = copy;
  }
  CHECK(copy.groups->rows() == std::vector<i64>{256, 0, 17});
  GemmProblem moved = std::move(copy);
  CHECK(moved == grouped({256, 0, 17}));
  moved.groups = nullptr;
  CHECK_FALSE(moved == grouped({256, 0, 17}));
}

TEST_CASE("Groups differ by rows, capacity and side") {
  CHECK(GroupRows::of({5, 5}) != GroupRows::of({5, 5}, 8));
  CHECK(GroupRows::of({5, 5}) != GroupRows::of({5, 5}, 0, GroupSide::kK));
  CHECK(GroupRows::of({5, 5}) != nullptr);
}

TEST_CASE("A negative number of rows is an error") {
  CHECK_THROWS_AS(GroupRows::of({256, -1}), ConfigError);
}

TEST_CASE("Groups count their rows") {
  const SharedGroupRows list = GroupRows::of({256, 0, 17});
  const GroupRows& groups = *list;
  CHECK(groups.total() == 273);
  CHECK(groups.largest() == 256);
  CHECK(groups.not_empty() == 2);
  CHECK(groups.first_rows() == std::vector<i32>{0, 256, 256, 273});
  CHECK_FALSE(groups.are_equal());
  CHECK(GroupRows::of({17, 0, 17})->are_equal());
  CHECK(grouped({256, 0, 17}).shape.m == 273);
}

TEST_CASE("Groups along K have a C each, and at least one K block") {
  const GemmProblem problem =
      in_groups_of_k({{200, 96, 0}, ElementType::kFp16, Layout::kNt}, {130, 0, 64});
  CHECK(problem.shape == GemmShape{200, 96, 194});
  CHECK(grouped_along_k(problem));
  CHECK_FALSE(grouped_along_m(problem));
  CHECK(matrices_of_c(problem) == 3);
  CHECK(matrices_of_b(problem) == 1);
  CHECK(rows_in_memory(problem) == 200);
  CHECK(mean_k(problem) == 194 / 3.0);
  CHECK(problem.groups->on_device() == std::vector<i32>{130, 130, 194});
  CHECK(bytes_of_a(problem) == 2.0 * 194 * 200);
  CHECK(bytes_of_b(problem) == 2.0 * 194 * 96);
  CHECK(bytes_of_c(problem) == 2.0 * 3 * 200 * 96);
  CHECK(tensor_flops(problem) == 2.0 * 200 * 96 * 194);
  CHECK(multiplied_flops(problem, tiles_of(64, 1)) == tensor_flops(problem));
  CHECK(group_table_bytes(problem) == 0);
  // 130 rows take three K blocks of 64; four tile rows of 64 cover the 200 rows of each C.
  CHECK(k_blocks_of_products(problem, tiles_of(64, 1).tiling) == std::vector<u32>{3, 1, 1});
  CHECK(make_tile_scheduler(problem, tiles_of(64, 1), 132).tiles_m == 3 * 4);
  CHECK(cta_tile_rows(problem, tiles_of(64, 1).tiling).size() == 3 * 4);
  CHECK(rows_of_tiles(problem, tiles_of(64, 1)).existing == 3 * 200);
}

TEST_CASE("Masked groups have unused capacity after their rows") {
  const SharedGroupRows list = GroupRows::of({100, 0, 17}, 128);
  const GroupRows& groups = *list;
  CHECK(groups.total() == 117);
  CHECK(groups.rows_in_memory() == 384);
  CHECK(groups.first_rows() == std::vector<i32>{0, 128, 256, 384});
  CHECK(groups.on_device() == std::vector<i32>{100, 0, 17});
  CHECK(GroupRows::of({100, 0, 17})->on_device() == std::vector<i32>{100, 100, 117});
  CHECK(GroupRows::of({100, 0, 17}) != GroupRows::of({100, 0, 17}, 128));
  CHECK(GroupRows::of({128}, 128)->capacity() == 128);
  CHECK_THROWS_AS(GroupRows::of({129}, 128), ConfigError);
  const GemmProblem problem = in_groups(grouped({1}), list);
  CHECK(problem.shape.m == 117);
  CHECK(rows_in_memory(problem) == 384);
  // Tiles of 64 rows: two and one. The last one extends into unused capacity, but not past it.
  const Tiling t{.block_m = 64, .block_n = 64, .block_k = 64, .cluster_m = 1, .cluster_n = 1};
  const std::vector<TileRow> tiles = cta_tile_rows(problem, t);
  REQUIRE(tiles.size() == 3);
  CHECK(tiles[1].of_a == 384 - 64);
  CHECK(tiles[2].of_a == 128);
  CHECK(tiles[2].of_c == 17);
}

TEST_CASE("The rows of a grouped problem's tiles are the sum over its rows of tiles") {
  for (const SharedGroupRows& list :
       {GroupRows::of({100, 0, 30}), GroupRows::of({300, 1, 1, 1, 0}), GroupRows::of({1, 2, 200}),
        GroupRows::of({100, 0, 17}, 128), GroupRows::of({128, 1, 0}, 130)}) {
    const GemmProblem problem = in_groups(grouped({1}), list);
    for (const i32 cluster : {1, 2, 4}) {
      i64 tiles = 0, existing = 0;
      for (const TileRow& row : cta_tile_rows(problem, tiles_of(64, cluster).tiling)) {
        tiles += row.of_a > 0 ? 1 : 0;
        existing += std::clamp<i64>(row.of_a, 0, 64);
      }
      const RowsOfTiles rows = rows_of_tiles(problem, tiles_of(64, cluster));
      CAPTURE(cluster, list->total());
      CHECK(rows.tiles == tiles);
      CHECK(rows.existing == existing);
    }
  }
}

TEST_CASE("Each group has whole rows of tiles, and an empty group has none") {
  const SharedGroupRows list = GroupRows::of({0, 256, 0, 257, 1});
  const GroupRows& groups = *list;
  CHECK(groups.tile_rows(128) == 2 + 3 + 1);
  CHECK(groups.groups_of_tile_rows(128) == std::vector<u32>{1, 1, 3, 3, 3, 4});
  CHECK(groups.tile_rows(512) == 3);
  CHECK(GroupRows::of({0})->tile_rows(128) == 0);
}

TEST_CASE("Each group has a B, and those of empty groups are not read") {
  const GemmProblem problem = grouped({256, 0, 17});
  CHECK(matrices_of_b(problem) == 3);
  CHECK(bytes_of_b(problem) == 2 * 96 * 64 * 2);
  CHECK(bytes_of_a(problem) == 273 * 64 * 2);
  CHECK(tensor_flops(problem) == 2.0 * 273 * 96 * 64);
}

TEST_CASE("A scheduler has the rows of tiles of all groups") {
  const KernelConfig config = tiles_of(64, 2);
  CHECK(make_tile_scheduler(grouped({256, 0, 17}), config, 132).tiles_m == 2 + 1);
  // Without groups, 273 rows would take 3 tile rows; 129 and 144 take 2 each.
  CHECK(make_tile_scheduler(grouped({129, 144}), config, 132).tiles_m == 4);
}

TEST_CASE("At the end of a group inside a tile A continues and C does not") {
  // 100 rows take a cluster of two CTAs of 64; with 30 rows the second CTA's tile is out of bounds.
  const std::vector<TileRow> tiles = cta_tile_rows(grouped({100, 0, 30}), tiles_of(64, 2).tiling);
  REQUIRE(tiles.size() == 4);
  CHECK(tiles[0].of_a == 130);
  CHECK(tiles[0].of_c == 100);
  CHECK(tiles[1].of_a == 66);
  CHECK(tiles[1].of_c == 36);
  CHECK(tiles[2].of_a == 30);
  CHECK(tiles[2].of_c == 30);
  CHECK(tiles[3].of_a == -34);
  CHECK(tiles[3].of_c == -34);
  // The three tiles contain 64 + 64 + 30 rows of A and load whole tiles.
  const RowsOfTiles rows = rows_of_tiles(grouped({100, 0, 30}), tiles_of(64, 2));
  CHECK(rows.tiles == 3);
  CHECK(rows.existing == 158);
  CHECK(rows.loaded == 192);
  CHECK(multiplied_flops(grouped({100, 0, 30}), tiles_of(64, 2)) == 2.0 * 158 * 96 * 64);
}

TEST_CASE("Tiles larger than C multiply zeros, in every GEMM and group") {
  const auto outside = [](const GemmProblem& problem) {
    return flops_out_of_bounds(problem, tiles_of(64, 1));
  };
  GemmProblem problem{{4, 96, 128}, ElementType::kFp16, Layout::kTn};
  const double columns = static_cast<double>(round_up<i64>(96, tiles_of(64, 1).tiling.block_n));
  CHECK(outside(problem) == 2.0 * (64 * columns - 4 * 96) * 128);
  problem.batch.products = 3;
  CHECK(outside(problem) == 3 * 2.0 * (64 * columns - 4 * 96) * 128);
  problem = {{64, tiles_of(64, 1).tiling.block_n, 128}, ElementType::kFp16, Layout::kTn};
  CHECK(outside(problem) == 0);
  // Groups along M of 100 and 30 rows: the three tiles multiply the 158 existing rows of A and 34
  // missing ones.
  CHECK(outside(grouped({100, 0, 30})) == 2.0 * (192 * columns - 158 * 96) * 64);
}

TEST_CASE("A batch has the tile rows of its GEMMs") {
  const GemmProblem batch{.shape = {100, 96, 64},
                          .dtype = ElementType::kFp16,
                          .layout = Layout::kTn,
                          .batch = {.products = 2}};
  const std::vector<TileRow> tiles = cta_tile_rows(batch, tiles_of(64, 1).tiling);
  REQUIRE(tiles.size() == 4);
  CHECK(tiles[3].of_a == 36);
  CHECK(tiles[3].of_c == 36);
  const RowsOfTiles rows = rows_of_tiles(batch, tiles_of(64, 1));
  CHECK(rows.tiles == 4);
  CHECK(rows.existing == 200);
  CHECK(rows.loaded == 208);  // 36 rounds up to 40, a multiple of eight
}

TEST_CASE("The table of groups has eight bytes per group, and for the end marker") {
  CHECK(group_table_bytes(1) == 144);
  CHECK(group_table_bytes(grouped({256, 0, 17})) == 160);
  CHECK(group_table_bytes(GemmProblem{{8, 8, 8}, ElementType::kFp16, Layout::kTn}) == 0);
}

}  // namespace tilecast
