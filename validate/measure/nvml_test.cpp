#include "validate/measure/nvml.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Without the library every reading is absent and nothing fails") {
  const Nvml nvml("0000:1b:00.0", "no_such_library.so.1");
  CHECK_FALSE(nvml.driver_version().has_value());
  CHECK_FALSE(nvml.energy().has_value());
  CHECK_FALSE(nvml.temperature().has_value());
  CHECK_FALSE(nvml.clock_event_reasons().has_value());
  CHECK(clock_event_text(nvml.clock_event_reasons()).empty());
}

TEST_CASE("With the library the readings are in their units") {
  const Nvml nvml("0000:1b:00.0", TILECAST_FAKE_NVML);
  CHECK(nvml.driver_version() == "999.1");
  CHECK(nvml.energy()->value == 1.5);
  CHECK(nvml.temperature()->value == 41);
  CHECK(clock_event_text(nvml.clock_event_reasons()) == "sw_power_cap+sw_thermal_slowdown");
}

TEST_CASE("A device that the library does not know has no readings") {
  const Nvml nvml("0000:ff:00.0", TILECAST_FAKE_NVML);
  CHECK(nvml.driver_version() == "999.1");
  CHECK_FALSE(nvml.temperature().has_value());
  CHECK_FALSE(nvml.energy().has_value());
}

TEST_CASE("Clock events are named, and what has no name is kept in hex") {
  CHECK(clock_event_text(u64{0}) == "none");
  CHECK(clock_event_text(u64{1}) == "none");  // idle
  CHECK(clock_event_text(u64{0x8 | 0x1000}) == "hw_slowdown+0x1000");
}
