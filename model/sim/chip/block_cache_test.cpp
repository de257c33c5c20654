#include "model/sim/chip/block_cache.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Blocks stay cached until the next one does not fit") {
  BlockCache cache(4, 300);
  cache.insert(0, 100, false);
  cache.insert(1, 100, false);
  cache.insert(2, 100, false);  // just fits
  CHECK(cache.holds(0));
  cache.insert(3, 1, false);  // one byte too many
  CHECK(!cache.holds(0));
  CHECK(cache.holds(1));
}

TEST_CASE("The least recently used block is evicted first") {
  BlockCache cache(4, 300);
  for (const u32 block : {0u, 1u, 2u}) {
    cache.insert(block, 100, false);
  }
  cache.touch(0);
  cache.touch(0);
  cache.insert(3, 100, false);
  CHECK(cache.holds(0));
  CHECK(!cache.holds(1));
}

TEST_CASE("Only written blocks are written back") {
  BlockCache cache(3, 100);
  CHECK(cache.insert(0, 100, true) == 0);
  CHECK(cache.insert(1, 60, false) == 100);
  CHECK(cache.insert(2, 60, false) == 0);
}
