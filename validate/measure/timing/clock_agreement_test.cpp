#include "validate/measure/timing/clock_agreement.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Clocks pass if they agree within 2 %, on both sides of the edge") {
  // 204 / 200 is 2 % above, 200 / 204 is 1.96 % below.
  CHECK_NOTHROW(check_clocks_agree({Seconds{200e-6}, Seconds{203.9e-6}, std::nullopt}));
  CHECK_THROWS_AS(check_clocks_agree({Seconds{204.1e-6}, Seconds{200e-6}, std::nullopt}), Error);
  CHECK_THROWS_AS(check_clocks_agree({Seconds{200e-6}, Seconds{210e-6}, std::nullopt}), Error);
}

TEST_CASE("The counter's duration must agree with both") {
  CHECK_NOTHROW(check_clocks_agree({Seconds{200e-6}, Seconds{202e-6}, Seconds{199e-6}}));
  // differs by 2.2 % from the events, but by 0.5 % from the activity record
  CHECK_THROWS_AS(check_clocks_agree({Seconds{200e-6}, Seconds{203.5e-6}, Seconds{199e-6}}), Error);
}

TEST_CASE("A kernel below 100 us is not compared") {
  CHECK_THROWS_AS(check_clocks_agree({Seconds{99e-6}, Seconds{99e-6}, std::nullopt}), Error);
}

TEST_CASE("The readings are one line") {
  CHECK(to_text(ClockReadings{Seconds{200e-6}, Seconds{203.5e-6}, std::nullopt}) ==
        "activity 200.0 us, events 203.5 us, no counters");
  CHECK(to_text(ClockReadings{Seconds{200e-6}, Seconds{203.5e-6}, Seconds{199e-6}}) ==
        "activity 200.0 us, events 203.5 us, gpu__time_duration 199.0 us");
}
