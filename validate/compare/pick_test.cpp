#include "validate/compare/pick.h"

#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

double by_time(const JoinedPoint& point) { return point.predicted.time.value; }

constexpr GemmShape kOther{8192, 8192, 8192};
constexpr GemmShape kThird{512, 512, 512};

/// Configurations 1 to 4 were measured at 8, 4, 5 and 16 us. Their predicted order is 4, 3, 2, 1.
JoinedGroup example_group() {
  return join_example({example_row(1, Seconds{8}), example_row(2, Seconds{4}),
                       example_row(3, Seconds{5}), example_row(4, Seconds{16})},
                      {{1, Seconds{9}}, {2, Seconds{8}}, {3, Seconds{7}}, {4, Seconds{6}}})
      .groups.front();
}

TEST_CASE("A pick's quality is best time / its time, and more picks find better ones") {
  const JoinedGroup group = example_group();
  CHECK(pick_ratio(group, by_time, 1) == Approx(4.0 / 16));
  CHECK(pick_ratio(group, by_time, 2) == Approx(4.0 / 5));
  CHECK(pick_ratio(group, by_time, 3) == Approx(1));
  CHECK(pick_ratio(group, by_time, 8) == Approx(1));
}

TEST_CASE("A shape is aligned if each dimension is a multiple of 8") {
  const auto aligned = [](i64 m, i64 n, i64 k) {
    return is_aligned(GemmProblem{{m, n, k}, ElementType::kFp16, Layout::kTn});
  };
  CHECK(aligned(8, 16, 24));
  CHECK_FALSE(aligned(4, 16, 24));
  CHECK_FALSE(aligned(8, 17, 24));
  CHECK_FALSE(aligned(8, 16, 25));
}

TEST_CASE("Ties in preference are broken by configuration text, not by measured time") {
  // The first configuration by string, pipelined:...stages=1, reaches 4 / 8.
  CHECK(pick_ratio(
            example_group(), [](const JoinedPoint&) { return 0.0; }, 1) == Approx(0.5));
}

TEST_CASE("A random pick has the mean quality of all picks") {
  // (4/8 + 4/4 + 4/5 + 4/16) / 4 = 2.55 / 4
  CHECK(random_pick_ratio(example_group()) == Approx(0.6375));
}

TEST_CASE("The fixed tiling is the best over all shapes, even if best in none") {
  // Times are 1, 4 and 1.1 us for shape 1 and 4, 1 and 1.1 us for shape 2. Configuration 3 reaches
  // 1/1.1 in both shapes, the others 1 and 0.25.
  const JoinedData data =
      join_example({example_row(1, Seconds{1}), example_row(2, Seconds{4}),
                    example_row(3, Seconds{1.1}), example_row(1, Seconds{4}, kOther),
                    example_row(2, Seconds{1}, kOther), example_row(3, Seconds{1.1}, kOther)},
                   {{1, Seconds{1}}, {2, Seconds{1}}, {3, Seconds{1}}});
  const FixedTiling fixed = best_fixed_tiling(data.groups);
  CHECK(fixed.config == to_text(example_config(3)));
  REQUIRE(fixed.ratios.size() == 2);
  CHECK(fixed.ratios[0] == Approx(1 / 1.1));
}

TEST_CASE("A fixed tiling chosen elsewhere is evaluated in the groups that have it") {
  const JoinedData data =
      join_example({example_row(1, Seconds{1}), example_row(2, Seconds{4}),
                    example_row(1, Seconds{4}, kOther), example_row(2, Seconds{1}, kOther),
                    example_row(1, Seconds{1}, kThird), example_row(3, Seconds{2}, kThird)},
                   {{1, Seconds{1}}, {2, Seconds{1}}, {3, Seconds{1}}});
  const FixedTiling fixed = fixed_tiling(data.groups, to_text(example_config(2)));
  CHECK(fixed.config == to_text(example_config(2)));
  CHECK(fixed.ratios == Values{0.25, 1});  // ordered by shape: 4096, 8192
  CHECK(fixed_tiling(data.groups, "none").ratios.empty());
}

TEST_CASE("A configuration measured in one shape of three is not a fixed tiling") {
  // Config 3 is the best in one shape, but it was not measured in the others.
  const JoinedData data =
      join_example({example_row(1, Seconds{2}), example_row(3, Seconds{1}),
                    example_row(1, Seconds{2}, kOther), example_row(2, Seconds{3}, kOther),
                    example_row(1, Seconds{2}, kThird), example_row(2, Seconds{3}, kThird)},
                   {{1, Seconds{1}}, {2, Seconds{1}}, {3, Seconds{1}}});
  const FixedTiling fixed = best_fixed_tiling(data.groups);
  CHECK(fixed.config == to_text(example_config(1)));
  CHECK(fixed.ratios == Values{1, 0.5, 1});  // ordered by shape: 512, 4096, 8192
}

TEST_CASE("Without a configuration in half of the shapes there is no fixed tiling") {
  // Config 1 is in two shapes of four; without the second one, in one of three.
  std::vector<Measurement> rows{
      example_row(1, Seconds{1}),         example_row(2, Seconds{2}),
      example_row(3, Seconds{1}, kOther), example_row(4, Seconds{2}, kOther),
      example_row(5, Seconds{1}, kThird), example_row(6, Seconds{2}, kThird)};
  std::map<i32, Seconds> predicted;
  for (i32 stages = 1; stages <= 7; ++stages) {
    predicted[stages] = Seconds{1};
  }
  CHECK(best_fixed_tiling(join_example(rows, predicted).groups).config.empty());
  rows.push_back(example_row(1, Seconds{1}, {64, 64, 64}));
  rows.push_back(example_row(7, Seconds{1}, {64, 64, 64}));
  CHECK(best_fixed_tiling(join_example(rows, predicted).groups).config ==
        to_text(example_config(1)));
}

TEST_CASE("A group with one configuration offers no choice") {
  const JoinedData data = join_example({example_row(1, Seconds{1})}, {{1, Seconds{1}}});
  CHECK_FALSE(can_pick(data.groups.front()));
  CHECK(best_fixed_tiling(data.groups).config.empty());
}

}  // namespace
}  // namespace tilecast
