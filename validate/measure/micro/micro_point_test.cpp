#include "validate/measure/micro/micro_point.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TimedSample sample(u64 cycles, u64 nanoseconds, u64 amount) {
  return {cycles, nanoseconds, amount, 0, 1};
}

}  // namespace

TEST_CASE("A latency is cycles per operation, in time by the clock of all samples together") {
  // 100, 110 and 120 cycles per operation. 3300 cycles in 1650 ns are 2 GHz, however coarse the
  // timer is.
  const std::vector<TimedSample> samples = {sample(1000, 1000, 10), sample(1100, 0, 10),
                                            sample(1200, 650, 10)};
  const MicroPoint point = latency_point(samples);
  CHECK(point.value.median == Approx(110));
  CHECK(point.value.q1 == Approx(105));
  CHECK(point.in_time.median == Approx(55));
  CHECK(point.clock_mhz == Approx(2000));
  CHECK(point.samples == 3);
}

TEST_CASE("Passes merge to the median of their medians and a range with all quartiles") {
  const auto pass = [](double median, double q1, double q3, double clock) {
    MicroPoint point;
    point.key = "k";
    point.value = {median, q1, q3};
    point.in_time = {median / 2, q1 / 2, q3 / 2};
    point.samples = 5;
    point.clock_mhz = clock;
    return point;
  };
  MicroPoint other = pass(7, 7, 7, 1000);
  other.key = "other";
  const std::vector<MicroPoint> found = joined_passes(std::vector<MicroPoint>{
      pass(10, 9, 11, 1900), other, pass(14, 13, 15, 2000), pass(11, 10, 16, 1950)});
  REQUIRE(found.size() == 2);
  CHECK(found[0].value.median == 11);
  CHECK(found[0].value.q1 == 9);
  CHECK(found[0].value.q3 == 16);
  CHECK(found[0].in_time.q3 == 8);
  CHECK(found[0].samples == 15);
  CHECK(found[0].clock_mhz == Approx(1950));
  CHECK(found[1].value.median == 7);
}

TEST_CASE("A slope excludes a run's constant overhead") {
  // 40 cycles of overhead, and 8 per operation.
  const std::vector<TimedSample> longer = {sample(40 + 800, 420, 100)};
  const std::vector<TimedSample> shorter = {sample(40 + 80, 60, 10)};
  CHECK(slope_point(longer, shorter).value.median == Approx(8));
}

TEST_CASE("SMs side by side give one rate: all they moved in the longest time, without idle SMs") {
  const std::vector<TimedSample> sms = {sample(100, 50, 6400), sample(128, 64, 6400),
                                        sample(0, 0, 0)};
  const TimedSample all = joined(sms);
  CHECK(all.amount == 12800);
  CHECK(all.cycles == 128);
  const MicroPoint point = rate_point(std::vector<TimedSample>{all}, "B");
  CHECK(point.value.median == Approx(100));    // 12800 / 128
  CHECK(point.in_time.median == Approx(200));  // at 2 GHz
  CHECK(point.unit == "B/cycle");
}

TEST_CASE("A point without a time unit has an empty time in the file") {
  MicroPoint point;
  point.group = "launch";
  point.key = "clusters.max_active_of_2";
  point.variant = "smem=1";
  point.value = {66, 66, 66};
  point.unit = "1";
  point.samples = 1;
  CHECK(micro_csv_line(point, "H200") ==
        "H200,launch,clusters.max_active_of_2,\"smem=1\",66,66,66,1,,,,,1,,\n");
}

}  // namespace tilecast
