#include "model/gemm/order/work_decomposition.h"

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/gemm/rules/split_rules.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

using Pieces = std::vector<WorkPiece>;

Pieces pieces_of(const WorkDecomposition& work, u32 worker) {
  Pieces pieces;
  for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
    pieces.push_back(p);
  }
  return pieces;
}

/// Formats "tile:begin-end ..." of each worker, in its order.
std::vector<std::string> walks(const WorkDecomposition& work) {
  std::vector<std::string> texts;
  for (u32 worker = 0; worker < work.workers; ++worker) {
    std::string text;
    for (const WorkPiece& p : pieces_of(work, worker)) {
      text += (text.empty() ? "" : " ") + std::to_string(p.tile) + ":" + std::to_string(p.k_begin) +
              "-" + std::to_string(p.k_end);
    }
    texts.push_back(text);
  }
  return texts;
}
using Walks = std::vector<std::string>;

/// Checks that every K block of every tile is covered once, that each tile has one owner, and that
/// no piece is shorter than the minimum.
void check_cover(const WorkDecomposition& work) {
  std::map<u32, std::vector<WorkPiece>> of_tile;
  for (u32 worker = 0; worker < work.workers; ++worker) {
    const Pieces pieces = pieces_of(work, worker);
    CHECK(pieces.size() <= work.most_pieces());
    for (const WorkPiece& p : pieces) {
      of_tile[p.tile].push_back(p);
    }
  }
  REQUIRE(of_tile.size() == work.tiles);
  for (auto& [tile, pieces] : of_tile) {
    std::sort(pieces.begin(), pieces.end(),
              [](const WorkPiece& a, const WorkPiece& b) { return a.k_begin < b.k_begin; });
    i32 next = 0;
    int owners = 0;
    for (const WorkPiece& p : pieces) {
      REQUIRE(p.k_begin == next);
      REQUIRE(p.k_end > p.k_begin);
      REQUIRE((work.is_whole(p) || work.splits > 0 ||
               p.k_blocks() >= std::min(work.min_k_blocks, work.k_blocks)));
      owners += work.owns(p) ? 1 : 0;
      next = p.k_end;
    }
    REQUIRE(next == work.k_blocks);
    REQUIRE(owners == 1);
  }
}

/// Runs all workers concurrently and returns whether all finish. A piece ends only after the pieces
/// that it waits for: those of its tile with lower K or, with `for_all`, all pieces of its tile.
/// `order`: order in which the workers are tried.
bool comes_to_an_end(const WorkDecomposition& work, bool for_all, const std::vector<u32>& order) {
  std::vector<Pieces> todo;
  for (u32 worker = 0; worker < work.workers; ++worker) {
    todo.push_back(pieces_of(work, worker));
  }
  std::vector<std::size_t> at(work.workers, 0);
  std::vector<bool> arrived(work.workers, false);  // the partial sum of piece at[worker] is written
  std::vector<i32> summed(work.tiles, 0);          // K blocks summed so far
  for (bool moved = true; moved;) {
    moved = false;
    for (const u32 worker : order) {
      if (at[worker] == todo[worker].size()) {
        continue;
      }
      const WorkPiece& p = todo[worker][at[worker]];
      if (for_all && !arrived[worker]) {
        summed[p.tile] += p.k_blocks();
        arrived[worker] = moved = true;
      }
      const i32 needed = for_all ? work.k_blocks : p.k_begin;
      if (work.is_whole(p) || summed[p.tile] == needed) {
        summed[p.tile] += for_all ? 0 : p.k_blocks();
        ++at[worker];
        arrived[worker] = false;
        moved = true;
      }
    }
  }
  for (u32 worker = 0; worker < work.workers; ++worker) {
    if (at[worker] < todo[worker].size()) {
      return false;
    }
  }
  return true;
}

std::vector<u32> backwards(u32 workers) {
  std::vector<u32> order;
  for (u32 worker = workers; worker > 0; --worker) {
    order.push_back(worker - 1);
  }
  return order;
}

TEST_CASE("Split-K: parts with the same range of K are neighbours in the order") {
  // 3 tiles of 10 blocks in 2 parts: 6 pieces on 4 workers, in the order of tiles.
  CHECK(walks(WorkDecomposition::split_k(3, 10, 4, 2)) ==
        Walks{"0:0-5 1:5-10", "1:0-5 2:5-10", "2:0-5", "0:5-10"});
}

TEST_CASE("Split-K: parts differ by at most one block if K does not divide evenly") {
  CHECK(walks(WorkDecomposition::split_k(1, 10, 8, 4)) ==
        Walks{"0:0-2", "0:2-5", "0:5-7", "0:7-10"});  // 10 * 1 / 4 = 2.5
}

TEST_CASE("Stream-K: nine tiles on four workers are two and a quarter each, last tile first") {
  CHECK(walks(WorkDecomposition::stream_k(9, 40, 4, 8)) ==
        Walks{"2:0-10 1:0-40 0:0-40",  // 90 blocks
              "4:0-20 3:0-40 2:10-40", "6:0-30 5:0-40 4:20-40", "8:0-40 7:0-40 6:30-40"});
}

TEST_CASE("Hybrid: one full wave and the partial one are streamed, the rest are whole tiles") {
  // 1 + 4 of 9 tiles are streamed on 4 workers, 1.25 tiles each; then each worker has a whole
  // tile.
  CHECK(walks(WorkDecomposition::stream_k_hybrid(9, 40, 4, 8)) ==
        Walks{"1:0-10 0:0-40 5:0-40", "2:0-20 1:10-40 6:0-40", "3:0-30 2:20-40 7:0-40",
              "4:0-40 3:30-40 8:0-40"});
}

TEST_CASE("Hybrid: whole waves are not cut, and less than one wave is all streamed") {
  const WorkDecomposition whole = WorkDecomposition::stream_k_hybrid(8, 40, 4, 8);
  CHECK(whole.streamed == 0);
  CHECK(walks(whole)[1] == "1:0-40 5:0-40");
  const WorkDecomposition part = WorkDecomposition::stream_k_hybrid(3, 40, 4, 8);
  CHECK(part.streamed == 3);
  CHECK(walks(part)[3] == "2:10-40");  // 120 blocks on 4 workers
}

TEST_CASE("Split-K hybrid: the partial wave comes first, in parts that share a range of K") {
  // 10 tiles on 4 workers leave 2 tiles, each cut into 2 parts; 8 whole tiles follow.
  CHECK(walks(WorkDecomposition::split_k_hybrid(10, 40, 4, 2)) ==
        Walks{"0:0-20 2:0-40 6:0-40", "1:0-20 3:0-40 7:0-40", "0:20-40 4:0-40 8:0-40",
              "1:20-40 5:0-40 9:0-40"});
  CHECK(walks(WorkDecomposition::split_k_hybrid(8, 40, 4, 2))[3] == "3:0-40 7:0-40");
}

TEST_CASE("A cut closer to a tile's edge than the minimum part moves to the edge") {
  // 5 tiles of 20 blocks on 4 workers: the cuts at 25, 50 and 75 are 5, 10 and 15 blocks into tiles
  // 1, 2 and 3. With parts of at least 8 the first cut moves back to 20 and the last one on to 80.
  CHECK(walks(WorkDecomposition::stream_k(5, 20, 4, 8)) ==
        Walks{"0:0-20", "2:0-10 1:0-20", "3:0-20 2:10-20", "4:0-20"});
  // With parts of 5 the cuts stay.
  CHECK(walks(WorkDecomposition::stream_k(5, 20, 4, 5))[0] == "1:0-5 0:0-20");
}

TEST_CASE("Few blocks use only as many workers as get a minimum part each") {
  CHECK(WorkDecomposition::stream_k(1, 64, 132, 8).workers == 8);
  CHECK(WorkDecomposition::stream_k(1, 7, 132, 8).workers == 1);
}

TEST_CASE("The deadlock check finds one: parts that wait for each other over two rounds") {
  // Two tiles in two parts on two workers: both first parts wait for the second parts, which are
  // the next pieces of the same workers.
  const WorkDecomposition work = WorkDecomposition::split_k(2, 16, 2, 2);
  CHECK(comes_to_an_end(work, false, {0, 1}));
  CHECK_FALSE(comes_to_an_end(work, true, {0, 1}));
  KernelConfig config = fixed_by_schedule(Schedule::kSplitK);
  config.decomposition = {2, 0, Reduction::kSpread};
  const TileScheduler tiles =
      TileScheduler::of(1, 2, 2, {RasterKind::kGroupedM, 1, Walk::kStrided});
  CHECK(why_not_split(tiles, 16, config, 2) ==
        "reduction=spread: all 2 tiles x 2 parts must be resident, but only 2 CTAs fit at once");
  CHECK(why_not_split(tiles, 16, config, 4).empty());
}

TEST_CASE("K has at least one block for each split") {
  KernelConfig config = fixed_by_schedule(Schedule::kSplitK);
  config.decomposition = {5, 0, Reduction::kTurnstile};
  const TileScheduler tiles =
      TileScheduler::of(1, 1, 1, {RasterKind::kGroupedM, 1, Walk::kStrided});
  CHECK(why_not_split(tiles, 4, config, 132) == "splits=5: K has only 4 blocks");
  CHECK(why_not_split(tiles, 5, config, 132).empty());
  config.schedule = Schedule::kStreamK;
  config.decomposition = {0, 9, Reduction::kTurnstile};
  CHECK(why_not_split(tiles, 8, config, 132) == "min_k_blocks=9: K has only 8 blocks");
  config.decomposition = {0, 8, Reduction::kTurnstile};  // the default applies to any K
  CHECK(why_not_split(tiles, 4, config, 132).empty());
  config.decomposition = {0, 8, Reduction::kSpread};
  CHECK(why_not_split(tiles, 64, config, 132) ==
        "reduction=spread needs equal splits; stream_k splits unevenly");
}

TEST_CASE("Random decompositions cover K once and finish") {
  std::mt19937 random(daily_seed("random decompositions"));
  const auto upto = [&](u32 most) { return 1 + static_cast<u32>(random()) % most; };
  for (int i = 0; i < 2'500; ++i) {
    const u32 tiles = upto(i % 10 == 0 ? 400 : 40);
    const i32 k_blocks = static_cast<i32>(upto(i % 3 == 0 ? 300 : 20));
    const u32 resident = upto(132);
    const i32 least = static_cast<i32>(upto(12));
    const u32 splits = upto(static_cast<u32>(std::min(k_blocks, 40)));
    WorkDecomposition work{};
    switch (random() % 4) {
      case 3:
        work = WorkDecomposition::split_k_hybrid(tiles, k_blocks, resident, splits);
        break;
      case 0:
        work = WorkDecomposition::split_k(tiles, k_blocks, resident, splits);
        break;
      case 1:
        work = WorkDecomposition::stream_k(tiles, k_blocks, resident, least);
        break;
      default:
        work = WorkDecomposition::stream_k_hybrid(tiles, k_blocks, resident, least);
        break;
    }
    INFO("tiles " << tiles << " k_blocks " << k_blocks << " resident " << resident << " least "
                  << least << " splits " << work.splits << " streamed " << work.streamed);
    REQUIRE(work.workers <= resident);
    check_cover(work);
    REQUIRE(comes_to_an_end(work, false, backwards(work.workers)));
    if (work.splits > 0 && work.streamed * splits <= resident) {
      REQUIRE(comes_to_an_end(work, true, backwards(work.workers)));
    }
  }
}

TEST_CASE("Stream-K waits only for earlier workers, and mostly for their first piece") {
  const WorkDecomposition work = WorkDecomposition::stream_k(150, 64, 132, 8);
  for (u32 worker = 1; worker < work.workers; ++worker) {
    for (const WorkPiece& p : pieces_of(work, worker)) {
      if (p.k_begin > 0) {
        const WorkPiece before = work.first(worker - 1);
        CHECK(before.tile == p.tile);
        CHECK(before.k_end == p.k_begin);
      }
    }
  }
}

}  // namespace
}  // namespace tilecast
