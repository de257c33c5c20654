#include "validate/measure/launch_times.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A launch of two kernels lasts from its first start to its last end") {
  const std::vector<KernelSpan> spans = {
      {"warm", 0, 50},    {"mark", 60, 70},     {"gemm", 100, 300}, {"reduce", 310, 400},
      {"gemm", 500, 700}, {"reduce", 710, 820}, {"mark", 900, 910}};
  const std::vector<Seconds> times = launch_times(spans, "mark", 2, 2);
  REQUIRE(times.size() == 2);
  CHECK(times[0].value == Approx(300e-9));  // 100 to 400
  CHECK(times[1].value == Approx(320e-9));  // 500 to 820
}

TEST_CASE("A launch that starts inside the one before is counted from that one's end") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"gemm", 20, 120}, {"gemm", 100, 220}, {"mark", 230, 240}};
  const std::vector<Seconds> times = launch_times(spans, "mark", 1, 2);
  REQUIRE(times.size() == 2);
  CHECK(times[0].value == Approx(100e-9));
  CHECK(times[1].value == Approx(100e-9));  // 120 to 220
}

TEST_CASE("Records left over from an earlier block do not count") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"old", 20, 30}, {"mark", 40, 50}, {"gemm", 100, 200}, {"mark", 230, 240}};
  CHECK(between_markers(spans, "mark").size() == 1);
  CHECK(launch_times(spans, "mark", 1, 1).front().value == Approx(100e-9));
}

TEST_CASE("A missing record or marker is an error, never a shorter list") {
  const std::vector<KernelSpan> spans = {
      {"mark", 0, 10}, {"gemm", 20, 120}, {"gemm", 130, 220}, {"mark", 230, 240}};
  CHECK_THROWS_AS(launch_times(spans, "mark", 1, 3), Error);
  CHECK_THROWS_AS(launch_times(spans, "mark", 2, 2), Error);
  CHECK_THROWS_AS(launch_times(spans, "other", 1, 2), Error);
  CHECK_THROWS_AS(launch_times(std::span(spans).first(2), "mark", 1, 1), Error);
}

TEST_CASE("Quartiles interpolate between neighbours") {
  const TimeDistribution d = distribution_of({{4.0}, {1.0}, {2.0}, {3.0}});
  CHECK(d.median.value == Approx(2.5));
  CHECK(d.q1.value == Approx(1.75));  // a quarter of the way over three gaps
  CHECK(d.q3.value == Approx(3.25));
  CHECK(d.samples == 4);
}

TEST_CASE("Blocks stop at three quiet ones and at seven noisy ones") {
  const std::vector<Seconds> quiet = {{1.000}, {1.002}, {1.001}};  // spread 0.1 %
  CHECK(quiet_enough(quiet));
  CHECK_FALSE(quiet_enough({quiet[0], quiet[1]}));
  std::vector<Seconds> noisy = {{1.0}, {1.1}, {1.2}, {1.3}, {1.4}, {1.5}};
  CHECK_FALSE(quiet_enough(noisy));
  noisy.push_back({1.6});
  CHECK(quiet_enough(noisy));
}
