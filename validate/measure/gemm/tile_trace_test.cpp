#include "validate/measure/gemm/tile_trace.h"

#include <vector>

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("CTAs of a cluster take the neighbouring blocks of its tile, along m first") {
  // One row of 3 cluster tiles along N, 2 workers, clusters of 2 x 2 blocks: worker 0 takes tiles 0
  // and 2, worker 1 takes tile 1. Cluster tile (0, t) contains blocks (0..1, 2t..2t+1).
  const TileScheduler scheduler =
      TileScheduler::of(1, 3, 2, {RasterKind::kGroupedM, 1, Walk::kStrided});
  Tiling tiling{};
  tiling.cluster_m = 2;
  tiling.cluster_n = 2;
  const WorkDecomposition whole = WorkDecomposition::data_parallel(3, 7, 2);
  const std::vector<WalkedPiece> trace = expected_tile_trace(scheduler, whole, tiling, 2);
  const auto tile = [](u32 m, u32 n) { return WalkedPiece{m, n, 0, 7}; };
  const std::vector<WalkedPiece> expected = {
      tile(0, 0), tile(0, 4), tile(1, 0), tile(1, 4),
      tile(0, 1), tile(0, 5), tile(1, 1), tile(1, 5),  // tiles of worker 0
      tile(0, 2), kNoTile,    tile(1, 2), kNoTile,
      tile(0, 3), kNoTile,    tile(1, 3), kNoTile};  // tiles of worker 1
  CHECK(trace == expected);
}

TEST_CASE("With K split, the expected walk consists of pieces of tiles") {
  // 2 tiles of 8 blocks on 3 workers: runs of 6, 5 and 5 blocks; a part has at least 1.
  const TileScheduler scheduler =
      TileScheduler::of(2, 1, 3, {RasterKind::kGroupedM, 1, Walk::kStrided});
  Tiling tiling{};
  tiling.cluster_m = tiling.cluster_n = 1;
  const WorkDecomposition work = WorkDecomposition::stream_k(2, 8, 3, 1);
  CHECK(expected_tile_trace(scheduler, work, tiling, 2) ==
        std::vector<WalkedPiece>{
            {0, 0, 0, 6}, kNoTile, {1, 0, 0, 3}, {0, 0, 6, 8}, {1, 0, 3, 8}, kNoTile});
}

TEST_CASE("The checksum is FNV-1a of the bytes") {
  // Without bytes the hash is the offset basis, 14695981039346656037.
  CHECK(tile_checksum({}) == "cbf29ce484222325");
  const std::vector<WalkedPiece> one = {{0, 1, 0, 4}}, other = {{0, 1, 0, 5}};
  CHECK(tile_checksum(one) != tile_checksum(other));
}

TEST_CASE("A difference names the CTA and the number of its tile") {
  const std::vector<WalkedPiece> expected = {{0, 0, 0, 4}, {0, 1, 0, 4}, {1, 0, 0, 4}, kNoTile};
  std::vector<WalkedPiece> walked = expected;
  CHECK(tile_trace_difference(walked, expected, 2) == "");
  walked[2] = {1, 1, 0, 4};
  CHECK(tile_trace_difference(walked, expected, 2) ==
        "CTA 1 took tile (1, 1), K blocks 0 to 4 as its tile number 0, the scheduler expects tile "
        "(1, "
        "0), "
        "K blocks 0 to 4");
  CHECK_FALSE(tile_trace_difference({walked.data(), 2}, expected, 2).empty());
}
