#include "validate/measure/timing/nvml.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/device_facts.h"

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

TEST_CASE("Clock events are named, and unknown bits are kept in hex") {
  CHECK(clock_event_text(u64{0}) == "none");
  CHECK(clock_event_text(u64{1}) == "none");  // idle
  CHECK(clock_event_text(u64{0x8 | 0x1000}) == "hw_slowdown+0x1000");
}

TEST_CASE("On a GPU readings return values, with their duration", "[gpu]") {
  const Nvml nvml(device_facts(gpu_or_skip()).pci_bus_id);
  const auto timed = [](const char* what, const auto& read) {
    constexpr int kReadings = 20;
    double longest = 0, sum = 0;
    bool there = true;
    for (int i = 0; i < kReadings; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      there = there && read().has_value();
      const double took =
          std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin)
              .count();
      longest = std::max(longest, took);
      sum += took;
    }
    std::printf("%s: %s, mean %.3f ms, longest %.3f ms\n", what, there ? "there" : "absent",
                sum / kReadings, longest);
    return longest;
  };
  CHECK(timed("energy", [&] { return nvml.energy(); }) < 1000);
  CHECK(timed("clock events", [&] { return nvml.clock_event_reasons(); }) < 1000);
  CHECK(timed("temperature", [&] { return nvml.temperature(); }) < 1000);
}
