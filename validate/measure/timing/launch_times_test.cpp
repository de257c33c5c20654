#include "validate/measure/timing/launch_times.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

/// Times of the launches between the last two marks.
std::vector<i64> last_launches(const std::vector<KernelSpan>& spans, std::size_t kernels_per_launch,
                               std::size_t launches) {
  return launch_nanoseconds(between_markers(spans, "mark", 1).front(), kernels_per_launch,
                            launches);
}

}  // namespace

TEST_CASE("A launch of two kernels lasts from its first start to its last end") {
  const std::vector<KernelSpan> spans = {
      {"warm", 0, 50},    {"mark", 60, 70},     {"gemm", 100, 300}, {"reduce", 310, 400},
      {"gemm", 500, 700}, {"reduce", 710, 820}, {"mark", 900, 910}};
  // 100 to 400 and 500 to 820
  CHECK(last_launches(spans, 2, 2) == std::vector<i64>{300, 320});
}

TEST_CASE("A launch that overlaps the previous one is counted from that one's end") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"gemm", 20, 120}, {"gemm", 100, 220}, {"mark", 230, 240}};
  CHECK(last_launches(spans, 1, 2) ==
        std::vector<i64>{100, 100});  // the second lasts from 120 to 220
}

TEST_CASE("Records left over from an earlier block do not count") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"old", 20, 30}, {"mark", 40, 50}, {"gemm", 100, 200}, {"mark", 230, 240}};
  CHECK(last_launches(spans, 1, 1) == std::vector<i64>{100});
}

TEST_CASE("Every interval between markers is given in order, an empty one too") {
  const std::vector<KernelSpan> spans = {{"mark", 0, 10},  {"old", 20, 30}, {"mark", 40, 50},
                                         {"a", 60, 70},    {"b", 80, 90},   {"mark", 91, 92},
                                         {"mark", 95, 97}, {"c", 98, 99},   {"mark", 120, 121}};
  const std::vector<Kernels> three = between_markers(spans, "mark", 3);
  REQUIRE(three.size() == 3);
  CHECK(three[0].size() == 2);
  CHECK(three[0].front().name == "a");
  CHECK(three[1].empty());
  CHECK(three[2].front().name == "c");
  CHECK(between_markers(spans, "mark", 4)[0].front().name == "old");
  CHECK_THROWS_AS(between_markers(spans, "mark", 5), Error);  // five markers bound four intervals
}

TEST_CASE("A missing record or marker is an error, never a shorter list") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"gemm", 20, 120}, {"gemm", 130, 220}, {"mark", 230, 240}};
  CHECK_THROWS_AS(last_launches(spans, 1, 3), Error);
  CHECK_THROWS_AS(last_launches(spans, 2, 2), Error);
  CHECK_THROWS_AS(between_markers(spans, "other", 1), Error);
  CHECK_THROWS_AS(between_markers(std::span(spans).first(2), "mark", 1), Error);
}

TEST_CASE("The longest gap is between the end of all so far and the next start") {
  const std::vector<KernelSpan> spans = {
      {"a", 0, 1000}, {"b", 100, 200}, {"c", 1500, 1600}, {"d", 1900, 2000}};
  CHECK(longest_gap(spans).length.value == Approx(500e-9));  // 1000 to 1500, not 200 to 1500
  CHECK(longest_gap(spans).after.value == Approx(1000e-9));
}

TEST_CASE("Quartiles interpolate between neighbours") {
  const TimeDistribution d = distribution_of({{4.0}, {1.0}, {2.0}, {3.0}});
  CHECK(d.median.value == Approx(2.5));
  CHECK(d.q1.value == Approx(1.75));  // a quarter of the way over three gaps
  CHECK(d.q3.value == Approx(3.25));
  CHECK(d.samples == 4);
}
