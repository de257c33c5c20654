#include "validate/measure/timing/power_meter.h"

#include "tests/catch.h"

using namespace tilecast;
using namespace std::chrono_literals;

TEST_CASE("Power is the energy between the first and the last step over the time between them") {
  const PowerMeter::Clock::time_point start{};
  PowerMeter meter;
  meter.read(Joules{100}, start);  // unknown when it stepped to this value
  meter.read(Joules{100}, start + 10ms);
  meter.read(Joules{130}, start + 20ms);
  CHECK_FALSE(meter.mean().has_value());  // one step is not enough
  meter.read(Joules{130}, start + 90ms);
  meter.read(Joules{190}, start + 120ms);
  REQUIRE(meter.mean().has_value());
  CHECK(meter.mean()->value == Approx(600));  // 60 J in 0.1 s
}

TEST_CASE("Without a counter there is no power") {
  PowerMeter meter;
  meter.read(std::nullopt, {});
  meter.read(std::nullopt, PowerMeter::Clock::time_point{} + 1s);
  CHECK_FALSE(meter.mean().has_value());
}

TEST_CASE("With one step in a second or more, power is the energy over the whole time") {
  const PowerMeter::Clock::time_point start{};
  PowerMeter meter;
  meter.read(Joules{100}, start);
  meter.read(Joules{460}, start + 900ms);
  CHECK_FALSE(meter.mean().has_value());
  meter.read(std::nullopt, start + 950ms);  // a failed reading
  meter.read(Joules{460}, start + 1200ms);
  REQUIRE(meter.mean().has_value());
  CHECK(meter.mean()->value == Approx(300));  // 360 J in 1.2 s
}
