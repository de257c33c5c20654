#include "validate/measure/timing/block_rules.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr BlockRules kRules{};

SampleBlock block(i64 nanoseconds, double megahertz) {
  return {.nanoseconds = {nanoseconds, nanoseconds, nanoseconds}, .clock = Hertz{megahertz * 1e6}};
}

std::vector<SampleBlock> marked(std::vector<SampleBlock> blocks) {
  mark_drifted(blocks, kRules);
  return blocks;
}

}  // namespace

TEST_CASE("Blocks stop at three quiet ones and at seven noisy ones") {
  const std::vector<SampleBlock> quiet =
      marked({block(100000, 1500), block(100200, 1500), block(100100, 1500)});  // spread of 0.1 %
  CHECK(enough(quiet, kRules));
  CHECK_FALSE(enough({quiet[0], quiet[1]}, kRules));
  std::vector<SampleBlock> noisy;
  for (int i = 0; i < 6; ++i) {
    noisy.push_back(block(100000 + 10000 * i, 1500));
  }
  CHECK_FALSE(enough(noisy, kRules));
  noisy.push_back(block(170000, 1500));
  CHECK(enough(noisy, kRules));
}

TEST_CASE("A block whose clock is more than 1 % off the median has drifted") {
  // The median is 1500, so 1485 and 1515 are the bounds.
  const std::vector<SampleBlock> blocks =
      marked({block(1000, 1500), block(1000, 1514.9), block(1000, 1484.9), block(1000, 1515.1),
              block(1000, 1500)});
  CHECK_FALSE(blocks[0].drifted);
  CHECK_FALSE(blocks[1].drifted);
  CHECK(blocks[2].drifted);
  CHECK(blocks[3].drifted);
}

TEST_CASE("Only the number of drifted blocks counts") {
  std::vector<SampleBlock> blocks =
      marked({block(1000, 1500), block(5000, 1200), block(1000, 1500), block(1000, 1500)});
  const BlockSummary summary = summary_of(blocks, kRules);
  CHECK(summary.counted == 3);
  CHECK(summary.discarded == 1);
  CHECK(summary.time.samples == 9);
  CHECK(summary.time.q3.value == Approx(1e-6));
  CHECK(summary.clock.value == Approx(1.5e9));
  blocks.pop_back();
  CHECK_FALSE(enough(blocks, kRules));  // only two count
}

TEST_CASE("The clock is the mean over time, not over blocks") {
  // 3 us at 1500 and 6 us at 1512 MHz: (3 x 1500 + 6 x 1512) / 9 = 1508
  const std::vector<SampleBlock> blocks = marked({block(1000, 1500), block(2000, 1512)});
  CHECK(summary_of(blocks, {.least = 2}).clock.value == Approx(1.508e9));
}

TEST_CASE("A clock that never settles ends after twelve blocks, with a reason and no figures") {
  std::vector<SampleBlock> blocks;
  for (int i = 0; i < 12; ++i) {
    CHECK_FALSE((!blocks.empty() && enough(marked(blocks), kRules)));
    blocks.push_back(block(1000, 1200 + 50 * i));  // each differs by 4 % from the next
  }
  blocks = marked(blocks);
  CHECK(enough(blocks, kRules));
  CHECK_THROWS_AS(summary_of(blocks, kRules), Error);
}
