#include "validate/compare/selectors.h"

#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

constexpr i32 kSms = 132;

GemmProblem plain(i64 m, i64 n, i64 k) { return {{m, n, k}, ElementType::kBf16, Layout::kTn}; }

/// 128x128 tiles that differ in stages take 8 us with 2, 4 us with 4 and 16 us with 6.
JoinedGroup measured_group() {
  return join_example(
             {example_row(2, Seconds{8}), example_row(4, Seconds{4}), example_row(6, Seconds{16})},
             {{2, Seconds{1}}, {4, Seconds{1}}, {6, Seconds{1}}})
      .groups.front();
}

Selector always(const ChosenKernel& chosen) {
  return {"always", [=](const GemmProblem&) { return std::optional(chosen); }};
}

TEST_CASE("DeepGEMM's rule takes the fewest waves, then the fullest last one") {
  const Selector rule = deep_gemm_rule(kSms);
  // 4096 x 4096 has 512 tiles of 256x128 in 3.88 waves, and the same number of 128x256, which the
  // rule prefers for its width. No other tile with a dimension of at most 128 takes only four
  // waves.
  CHECK(rule.choose(plain(4096, 4096, 4096))->tile_n == 256);
  CHECK(rule.choose(plain(4096, 4096, 4096))->tile_m == 128);
  // 64 x 4096 has one row of tiles. Tiles of 32 columns need 128 CTAs in one wave, tiles of 16
  // columns 256 in two.
  CHECK(*rule.choose(plain(64, 4096, 4096)) == ChosenKernel{.tile_m = 64, .tile_n = 32});
  // Below 512 rows there are no clusters; from 512 rows on there are, if two tiles share an
  // operand.
  const ChosenKernel large = *rule.choose(plain(4096, 4096, 4096));
  CHECK(large.cluster_m * large.cluster_n == 2);
}

TEST_CASE("DeepGEMM's rule covers only plain GEMMs") {
  GemmProblem batch = plain(512, 512, 512);
  batch.batch.products = 2;
  CHECK_FALSE(deep_gemm_rule(kSms).choose(batch));
}

TEST_CASE("A selector's choice is represented by the nearest measured kernel") {
  const JoinedGroup group = measured_group();
  const auto ratio = [&](i32 stages) {
    return *selector_ratio(group, always({.tile_m = 128, .tile_n = 128, .stages = stages}));
  };
  CHECK(ratio(2) == Approx(4.0 / 8));
  CHECK(ratio(4) == Approx(1));
  CHECK(ratio(7) == Approx(4.0 / 16));
  // With unknown stages all three are equally close: the median.
  CHECK(ratio(0) == Approx(4.0 / 8));
}

TEST_CASE("Choices are read by column name") {
  const Selector listed = listed_choices(
      "m,n,k,dtype,layout,tile_m,tile_n,tile_k,stages,cluster_m,cluster_n,split_k\n"
      "512,1024,2048,bf16,tn,64,256,64,4,1,2,3\n",
      "folder/other.csv");
  CHECK(listed.name == "other");
  CHECK(*listed.choose(plain(512, 1024, 2048)) ==
        ChosenKernel{
            .tile_m = 64, .tile_n = 256, .cluster_m = 1, .cluster_n = 2, .splits = 3, .stages = 4});
  CHECK_FALSE(listed.choose(plain(512, 1024, 2049)));
}

TEST_CASE("An invalid choice is an error that names its line and column") {
  const std::string header =
      "m,n,k,dtype,layout,tile_m,tile_n,stages,cluster_m,cluster_n,split_k\n";
  CHECK_THROWS_WITH(listed_choices(header + "1,1,1,bf16,tn,0,1,1,1,1,1\n", "x.csv"),
                    "x.csv:2: tile_m: expected an integer from 1 to 2147483647, got '0'");
  CHECK_THROWS_WITH(listed_choices(header + "1,1,1,bf99,tn,1,1,1,1,1,1\n", "x.csv"),
                    Catch::Matchers::StartsWith("x.csv:2: dtype: "));
  CHECK_THROWS_WITH(listed_choices(header, "x.csv"), "x.csv: expected at least one choice");
  CHECK_THROWS_WITH(listed_choices(header + "1,1,1,bf16,tn,1\n", "x.csv"),
                    "x.csv:2: expected 11 fields as in the header, got 6");
  const std::string row = "1,1,1,bf16,tn,64,64,1,1,1,1\n";
  CHECK_THROWS_WITH(listed_choices(header + row + row, "x.csv"),
                    "x.csv:3: duplicate choice for this problem");
  CHECK_THROWS_WITH(listed_choices("m,n\n1,1\n", "x.csv"),
                    "x.csv:1: k: column missing from the header; did you mean m?");
}

}  // namespace
}  // namespace tilecast
