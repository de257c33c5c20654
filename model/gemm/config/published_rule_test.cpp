#include "model/gemm/config/published_rule.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("The published rule keeps whole tiles if the last wave is at least half full") {
  CHECK(published_rule(66, 132, 64) == RuleChoice{Schedule::kWarpSpecialized, 1});
  CHECK(published_rule(132 + 66, 132, 64) == RuleChoice{Schedule::kWarpSpecialized, 1});
  CHECK(published_rule(132 + 65, 132, 64) == RuleChoice{Schedule::kStreamKHybrid, 1});
  CHECK(published_rule(264, 132, 64) == RuleChoice{Schedule::kWarpSpecialized, 1});
}

TEST_CASE("The published rule does not split a short K") {
  CHECK(published_rule(133, 132, 8) == RuleChoice{Schedule::kWarpSpecialized, 1});
  CHECK(published_rule(133, 132, 9) == RuleChoice{Schedule::kStreamKHybrid, 1});
}

TEST_CASE("The published rule splits less than half a wave evenly if it can") {
  // 132 units of at least 8 blocks: 3 per tile for 44 tiles; 132 is not a multiple of 48.
  CHECK(published_rule(44, 132, 64) == RuleChoice{Schedule::kSplitK, 3});
  CHECK(published_rule(48, 132, 64) == RuleChoice{Schedule::kStreamK, 1});
  // 1 tile of 64 blocks: 8 units.
  CHECK(published_rule(1, 132, 64) == RuleChoice{Schedule::kSplitK, 8});
}
