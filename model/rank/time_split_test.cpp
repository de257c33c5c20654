#include "model/rank/time_split.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TileSpan tile(i32 sm, i64 first_operands, i64 multiplied, TileRole role = TileRole::kMultiplies) {
  return {.sm = sm,
          .cta = 0,
          .warpgroup = 0,
          .tile_m = 0,
          .tile_n = 0,
          .begin = {},
          .first_operands = {first_operands},
          .multiplied = {multiplied},
          .stored = {multiplied + 1},
          .role = role};
}

TEST_CASE("Time before, in, between and after tiles is split, idle SMs included") {
  // SM 0 starts for 10, multiplies in 10..40 and 50..60 with 10 between, and ends for 40. SM 1 has
  // no tile, so all its 100 count as its end.
  const TimeSplit split = time_split({tile(0, 10, 40), tile(0, 50, 60)}, 2, {100});
  CHECK(split.start == Approx(0.05));
  CHECK(split.multiply == Approx(0.20));
  CHECK(split.between == Approx(0.05));
  CHECK(split.end == Approx(0.70));
}

TEST_CASE("Warpgroups that multiply at the same time count once, and loads do not count") {
  // One tile is at 0..50, one at 20..40 inside it, one at 45..60 across its end; a producer is busy
  // all the time.
  const TimeSplit split = time_split(
      {tile(0, 0, 50), tile(0, 20, 40), tile(0, 45, 60), tile(0, 0, 100, TileRole::kLoads)}, 1,
      {100});
  CHECK(split.multiply == Approx(0.60));
  CHECK(split.between == Approx(0));
  CHECK(split.end == Approx(0.40));
}

TEST_CASE("Skipped waves are split like the steady ones before them") {
  // From 20 to 60 of the 100 simulated are steady: 10 between tiles, 30 multiplying. The 40 skipped
  // add 10 and 30. In total, of 140: start 10, multiply 30 + 40 + 30, between 10 + 10, end 10.
  const TimeSplit split = time_split({tile(0, 10, 40), tile(0, 50, 90)}, 1, {100},
                                     {.steady_begin = {20}, .steady_end = {60}, .time = {40}});
  CHECK(split.start == Approx(10.0 / 140));
  CHECK(split.multiply == Approx(100.0 / 140));
  CHECK(split.between == Approx(20.0 / 140));
  CHECK(split.end == Approx(10.0 / 140));
}

TEST_CASE("The parts add up to the whole time") {
  const TimeSplit split =
      time_split({tile(0, 3, 11), tile(1, 5, 20), tile(1, 23, 31), tile(2, 1, 40)}, 5, {45});
  CHECK(split.start + split.multiply + split.between + split.end == Approx(1));
}

}  // namespace
}  // namespace tilecast
