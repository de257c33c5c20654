#include "model/gemm/order/tile_scheduler.h"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "model/gemm/order/hilbert_order.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

/// Formats the tiles of one worker in order, as "mn mn ...".
std::string walk(const TileScheduler& s, u32 worker) {
  std::string order;
  for (u32 t = s.first(worker); t < s.end(worker); t = s.next(t)) {
    const TileCoord at = s.coord(t);
    order += (order.empty() ? "" : " ") + std::to_string(at.m) + std::to_string(at.n);
  }
  return order;
}

TileScheduler scheduler(u32 tiles_m, u32 tiles_n, u32 workers, RasterKind kind, i32 group,
                        Walk walk = Walk::kStrided) {
  return TileScheduler::of(tiles_m, tiles_n, workers, {kind, group, walk});
}

TEST_CASE("Grouped along M: groups of two rows, column by column, with one row in the last") {
  // Rows 0 and 1 form the first group, row 2 the narrow last one:
  //        n=0 1 2
  //   m=0   0  2  4
  //   m=1   1  3  5
  //   m=2   6  7  8
  CHECK(walk(scheduler(3, 3, 1, RasterKind::kGroupedM, 2), 0) == "00 10 01 11 02 12 20 21 22");
}

TEST_CASE("Grouped along N: groups of two columns, row by row, with one column in the last") {
  //        n=0 1 2
  //   m=0   0  1  6
  //   m=1   2  3  7
  //   m=2   4  5  8
  CHECK(walk(scheduler(3, 3, 1, RasterKind::kGroupedN, 2), 0) == "00 01 10 11 20 21 02 12 22");
}

TEST_CASE("Chunked: column by column, cut into equal runs, of which the last may be short") {
  const TileScheduler s = scheduler(2, 4, 3, RasterKind::kGroupedN, 1, Walk::kChunked);
  CHECK(walk(s, 0) == "00 10 01");  // 8 tiles on 3 workers: 3, 3 and 2 each
  CHECK(walk(s, 1) == "11 02 12");
  CHECK(walk(s, 2) == "03 13");
}

TEST_CASE("Chunks of whole columns may leave a worker without work") {
  const TileScheduler s = scheduler(2, 3, 4, RasterKind::kGroupedN, 1, Walk::kChunked);
  CHECK(walk(s, 2) == "02 12");  // 6 tiles on 4 workers: 2, 2, 2 and 0
  CHECK(walk(s, 3).empty());
}

TEST_CASE("Strided workers take every W-th tile") {
  const TileScheduler s = scheduler(2, 3, 4, RasterKind::kGroupedM, 1);
  CHECK(walk(s, 0) == "00 11");  // tiles 0 and 4 of 00 01 02 10 11 12
  CHECK(walk(s, 1) == "01 12");
  CHECK(walk(s, 2) == "02");
  CHECK(walk(s, 3) == "10");
}

TEST_CASE("A group wider than C covers all of it") {
  const TileScheduler exact = scheduler(3, 4096, 1, RasterKind::kGroupedM, 3);
  // 2^20 x 4096 tiles would be 2^32, which is 0 in 32 bits.
  const TileScheduler wide = scheduler(3, 4096, 1, RasterKind::kGroupedM, 1 << 20);
  for (const u32 t : {0u, 1u, 2u, 3u, 12287u}) {
    CHECK(wide.coord(t) == exact.coord(t));
  }
}

TEST_CASE("Hilbert: four by two is two U-turns, with steps of length one") {
  //        n=0 1
  //   m=0   0  1
  //   m=1   3  2
  //   m=2   4  5
  //   m=3   7  6
  CHECK(walk(scheduler(4, 2, 1, RasterKind::kHilbert, 1), 0) == "00 01 11 10 20 21 31 30");
}

/// A function, because the compiler would evaluate calls of a lambda with constants, which takes it
/// 20 s.
i32 cells_differ(i32 width, i32 height) {
  i32 next = 0, differ = 0;
  for_each_hilbert_cell(width, height, [&](HilbertCell cell) {
    const HilbertCell own = hilbert_cell(width, height, next++);
    differ += cell.x != own.x || cell.y != own.y ? 1 : 0;
  });
  return differ + std::abs(next - width * height);
}

TEST_CASE("The enumerated Hilbert curve equals the cells found one by one") {
  for (i32 width = 1; width <= 24; ++width) {
    for (i32 height = 1; height <= 24; ++height) {
      CHECK(cells_differ(width, height) == 0);
    }
  }
  CHECK(cells_differ(3, 500) == 0);
  CHECK(cells_differ(171, 64) == 0);
}

TEST_CASE("Steps of the Hilbert order go to neighbours, at most one of them diagonally") {
  for (u32 tiles_m = 1; tiles_m <= 33; ++tiles_m) {
    for (u32 tiles_n = 1; tiles_n <= 33; ++tiles_n) {
      const TileScheduler s = scheduler(tiles_m, tiles_n, 1, RasterKind::kHilbert, 1);
      int diagonal = 0;
      for (u32 t = 1; t < s.num_tiles(); ++t) {
        const TileCoord from = s.coord(t - 1);
        const TileCoord to = s.coord(t);
        const int dm = std::abs(static_cast<int>(to.m) - static_cast<int>(from.m));
        const int dn = std::abs(static_cast<int>(to.n) - static_cast<int>(from.n));
        REQUIRE(std::max(dm, dn) == 1);
        diagonal += dm + dn == 2 ? 1 : 0;
      }
      REQUIRE(diagonal <= 1);
    }
  }
}

TEST_CASE("A fast divisor divides as the operator does") {
  std::mt19937 random(7);
  const u32 most = (1u << 31) - 1;
  for (const u32 divisor : {1u, 2u, 3u, 7u, 64u, 641u, 65535u, 65536u, 1u << 30, most}) {
    const FastDivisor fast = FastDivisor::of(divisor);
    for (const u32 edge : {0u, 1u, divisor - 1, divisor, most - 1, most}) {
      CHECK(fast.quotient(edge) == edge / divisor);
    }
    for (int i = 0; i < 1000; ++i) {
      const u32 n = static_cast<u32>(random()) & most;
      REQUIRE(fast.quotient(n) == n / divisor);
      REQUIRE(fast.remainder(n) == n % divisor);
    }
  }
}

TEST_CASE("Every tile is computed exactly once, for any shape, order and number of workers") {
  std::mt19937 random(20261120);
  const auto pick = [&random](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int i = 0; i < 6000; ++i) {
    const auto kind = static_cast<RasterKind>(pick(0, 2));
    const auto tiles_m = static_cast<u32>(pick(1, 40));
    const auto tiles_n = static_cast<u32>(pick(1, 40));
    const auto workers = static_cast<u32>(pick(1, static_cast<int>(tiles_m * tiles_n)));
    const auto walk = static_cast<Walk>(pick(0, 1));
    const int group = kind == RasterKind::kHilbert ? 1 : pick(1, 48);
    const TileScheduler s = scheduler(tiles_m, tiles_n, workers, kind, group, walk);

    std::vector<int> visits(s.num_tiles(), 0);
    u32 fewest = s.num_tiles(), most = 0;
    for (u32 worker = 0; worker < workers; ++worker) {
      u32 mine = 0;
      for (u32 t = s.first(worker); t < s.end(worker); t = s.next(t), ++mine) {
        const TileCoord at = s.coord(t);
        if (at.m >= tiles_m || at.n >= tiles_n) {
          FAIL("tile " << at.m << ", " << at.n << " lies outside of C");
        }
        ++visits[at.m * tiles_n + at.n];
      }
      fewest = std::min(fewest, mine);
      most = std::max(most, mine);
    }
    REQUIRE(std::all_of(visits.begin(), visits.end(), [](int count) { return count == 1; }));
    REQUIRE(most == ceil_div(s.num_tiles(), workers));  // every order balances the tiles
    if (walk == Walk::kStrided) {
      REQUIRE(most - fewest <= 1);
    }
  }
}

TEST_CASE("The grid covers C with cluster tiles and has no more workers than tiles") {
  KernelConfig config = fixed_by_schedule(Schedule::kPingPong);
  config.tiling.block_m = 128;
  config.tiling.block_n = 256;
  config.tiling.cluster_m = 2;
  // 4100 x 1000 takes 17 x 4 cluster tiles of 256 x 256.
  const TileScheduler few = make_tile_scheduler({4100, 1000, 64}, 1, config, 66);
  CHECK(few.tiles_m == 17);
  CHECK(few.tiles_n == 4);
  CHECK(few.workers == 66);
  CHECK(make_tile_scheduler({4096, 1000, 64}, 1, config, 66).workers == 64);  // 16 x 4 tiles
  config.grid = Grid::kTiles;
  CHECK(make_tile_scheduler({4100, 1000, 64}, 1, config, 66).workers == 68);  // one tile each
}

}  // namespace
}  // namespace tilecast
