#include "model/stream/block_walk.h"

#include <vector>

#include "tests/catch.h"

namespace tilecast {
namespace {

std::vector<u32> blocks_of(const BlockWalk& walk, u32 worker) {
  std::vector<u32> blocks;
  for (u32 block = walk.first(worker); block < walk.end(worker); block = walk.next(block)) {
    blocks.push_back(block);
  }
  return blocks;
}

}  // namespace

TEST_CASE("Every order visits every block once, and counts them correctly") {
  for (const BlockOrder order :
       {BlockOrder::kBands, BlockOrder::kBlocks, BlockOrder::kStrided, BlockOrder::kChunked,
        BlockOrder::kBounded, BlockOrder::kTickets}) {
    for (const u32 bands : {1u, 3u, 8u}) {
      for (const u32 per_band : {1u, 5u}) {
        for (const u32 resident : {1u, 4u, 7u, 100u}) {
          const BlockWalk walk = make_block_walk(order, bands, per_band, resident);
          std::vector<int> visits(walk.blocks, 0);
          for (u32 worker = 0; worker < walk.workers; ++worker) {
            const std::vector<u32> blocks = blocks_of(walk, worker);
            CHECK(blocks.size() == walk.count(worker));
            CHECK(!blocks.empty());
            for (const u32 block : blocks) {
              ++visits[block];
            }
          }
          CHECK(visits == std::vector<int>(walk.blocks, 1));
        }
      }
    }
  }
}

TEST_CASE("Six blocks in two bands on four CTAs go as drawn by hand") {
  const auto walk = [](BlockOrder order) { return make_block_walk(order, 2, 3, 4); };
  CHECK(blocks_of(walk(BlockOrder::kBands), 1) == std::vector<u32>{3, 4, 5});
  CHECK(blocks_of(walk(BlockOrder::kBlocks), 4) == std::vector<u32>{4});
  CHECK(blocks_of(walk(BlockOrder::kStrided), 1) == std::vector<u32>{1, 5});
  // Chunks of ceil(6 / 4) = 2 need three CTAs.
  CHECK(walk(BlockOrder::kChunked).workers == 3);
  CHECK(blocks_of(walk(BlockOrder::kChunked), 2) == std::vector<u32>{4, 5});
  CHECK(walk(BlockOrder::kBlocks).coord(5) == BlockCoord{1, 2});
}

}  // namespace tilecast
