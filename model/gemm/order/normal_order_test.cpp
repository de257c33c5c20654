#include "model/gemm/order/normal_order.h"

#include <utility>
#include <vector>

#include "tests/catch.h"

namespace tilecast {
namespace {

using Walks = std::vector<std::vector<std::pair<u32, u32>>>;

/// Returns the tiles of each worker.
Walks walks(const TileScheduler& s) {
  Walks of_workers(s.workers);
  for (u32 w = 0; w < s.workers; ++w) {
    for (u32 t = s.first(w); t < s.end(w); t = s.next(t)) {
      of_workers[w].emplace_back(s.coord(t).m, s.coord(t).n);
    }
  }
  return of_workers;
}

TEST_CASE("Grouped rasters share a normal form if and only if workers walk the same tiles") {
  std::vector<Raster> rasters;
  for (const Walk walk : {Walk::kStrided, Walk::kChunked}) {
    for (const RasterKind kind : {RasterKind::kGroupedM, RasterKind::kGroupedN}) {
      for (const i32 group : {1, 2, 3, 4, 8, 16}) {
        rasters.push_back({kind, group, walk});
      }
    }
  }
  for (const auto& [m, n, workers] : {std::tuple{1, 9, 4},
                                      {9, 1, 4},
                                      {2, 5, 3},
                                      {5, 2, 3},
                                      {4, 6, 6},
                                      {6, 4, 6},
                                      {3, 7, 3},
                                      {5, 5, 5},
                                      {3, 3, 2},
                                      {12, 11, 7},
                                      {4, 4, 8},
                                      {2, 9, 1},
                                      {20, 17, 33}}) {
    for (const Raster& a : rasters) {
      for (const Raster& b : rasters) {
        const auto scheduler = [&](const Raster& raster) {
          return TileScheduler::of(static_cast<u32>(m), static_cast<u32>(n),
                                   static_cast<u32>(workers), raster);
        };
        const u32 resident = static_cast<u32>(workers);
        CAPTURE(m, n, workers, a.kind, a.group, a.walk, b.kind, b.group, b.walk);
        CHECK((normal_order(scheduler(a), resident) == normal_order(scheduler(b), resident)) ==
              (walks(scheduler(a)) == walks(scheduler(b))));
      }
    }
  }
}

TEST_CASE("All rasters are one if no worker has a second tile or C is one line of tiles") {
  const Raster rows{RasterKind::kGroupedM, 1, Walk::kStrided};
  const Raster curve{RasterKind::kHilbert, 1, Walk::kStrided};
  CHECK(normal_order(TileScheduler::of(3, 4, 12, curve), 12) ==
        normal_order(TileScheduler::of(3, 4, 12, rows), 12));
  CHECK_FALSE(normal_order(TileScheduler::of(3, 4, 11, curve), 11) ==
              normal_order(TileScheduler::of(3, 4, 11, rows), 11));
  CHECK(normal_order(TileScheduler::of(1, 12, 11, curve), 11) ==
        normal_order(TileScheduler::of(1, 12, 11, rows), 11));
}

}  // namespace
}  // namespace tilecast
