#include "validate/measure/timing/timer_parts.h"

#include <vector>

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("The clock is cycles over nanoseconds of the SMs that both launches reached") {
  // SM 0: 15,000 cycles in 10,000 ns are 1.5 GHz; SM 2: 1.6 GHz; SM 3: 1.7 GHz. SM 1 and SM 9 were
  // reached only once. The median of 1.5, 1.6 and 1.7 is 1.6.
  const std::vector<ClockSample> before = {
      {100, 1000, 0, 1}, {7, 1000, 1, 1}, {500, 1000, 2, 1}, {900, 1000, 3, 1}};
  const std::vector<ClockSample> after = {
      {17900, 11000, 3, 1}, {15100, 11000, 0, 1}, {16500, 11000, 2, 1}, {99, 11000, 9, 1}};
  CHECK(clock_between(before, after).value == Approx(1.6e9));
}

TEST_CASE("A sample that was never written does not count") {
  const std::vector<ClockSample> before = {{100, 1000, 0, 1}, {0, 0, 0, 0}};
  const std::vector<ClockSample> after = {{0, 0, 0, 0}, {2100, 2000, 0, 1}};
  CHECK(clock_between(before, after).value == Approx(2e9));  // 2000 cycles in 1000 ns
  CHECK_THROWS_AS(clock_between(before, {}), Error);
  CHECK_THROWS_AS(clock_between(after, before), Error);  // time does not run backwards
}
