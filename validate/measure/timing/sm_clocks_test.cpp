#include "validate/measure/timing/sm_clocks.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

double ns_of(const SmClocks& clocks, u32 smid, i64 cycles) {
  return clocks.time(smid, cycles).value * 1e9;
}

}  // namespace

TEST_CASE("SMs with different starts and frequencies are mapped to the wall clock") {
  // SM 4 runs 20,000 cycles in 10,000 ns, SM 9 15,000: 2 and 1.5 in a nanosecond.
  const SmClocks clocks({{4, 0, 1000}, {4, 20000, 11000}, {9, 500, 1000}, {9, 15500, 11000}});
  CHECK(ns_of(clocks, 4, 10000) == Approx(6000));
  CHECK(ns_of(clocks, 9, 8000) == Approx(6000));
  // Times before the first and after the last reading use the frequency between them.
  CHECK(ns_of(clocks, 4, -200) == Approx(900));
  CHECK(ns_of(clocks, 9, 15800) == Approx(11200));
  CHECK(clocks.mean().value == Approx(1.75e9));
  CHECK(clocks.slowest().value == Approx(1.5e9));
  CHECK(clocks.fastest().value == Approx(2e9));
}

TEST_CASE("A clock that slows down is followed from knot to knot") {
  // 2 cycles per nanosecond for 10 us, then 1. The reading at 18 us is no longer a knot: the last
  // one, 4 us after it, replaces it.
  const SmClocks clocks({{0, 0, 0}, {0, 20000, 10000}, {0, 28000, 18000}, {0, 32000, 22000}});
  CHECK(ns_of(clocks, 0, 10000) == Approx(5000));
  CHECK(ns_of(clocks, 0, 26000) == Approx(16000));
  CHECK(clocks.mean().value == Approx(32e9 / 22));
}

TEST_CASE("Readings closer than a knot's distance give a position but no frequency") {
  // SM 1 runs at 2 cycles per nanosecond; SM 0's two readings, 100 ns apart, give 1.5. All
  // together: 40,150 cycles in 20,100 ns.
  const SmClocks clocks({{0, 0, 0}, {0, 150, 100}, {1, 0, 0}, {1, 40000, 20000}});
  CHECK(clocks.slowest().value == Approx(2e9));
  CHECK(ns_of(clocks, 0, 75) == Approx(50));
  CHECK(ns_of(clocks, 0, 75 + 40150) == Approx(50 + 20100));
}

TEST_CASE("The error is half a step of the wall clock, or the reading farthest from its map") {
  // Distances of 9600, 19200 and 96: steps of 96 ns.
  std::vector<SmReading> readings = {{0, 0, 0}, {0, 19200, 9600}, {0, 38400, 19200}, {1, 0, 96}};
  CHECK(SmClocks(readings).error().value == Approx(48e-9));
  // At 9792 cycles SM 0's map says 4896 ns.
  readings.push_back({0, 9792, 4800});
  CHECK(SmClocks(readings).error().value == Approx(96e-9));
}

TEST_CASE("Readings within one step of the wall clock give no clock") {
  CHECK_THROWS_AS(SmClocks({{0, 0, 32}, {0, 40, 32}}), Error);
  CHECK_THROWS_AS(SmClocks({{0, 0, 32}}), Error);
}
