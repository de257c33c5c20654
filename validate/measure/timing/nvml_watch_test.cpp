#include "validate/measure/timing/nvml_watch.h"

#include "tests/catch.h"

using namespace tilecast;
using namespace std::chrono_literals;

TEST_CASE("A watch keeps every clock event, and has no power if the energy counter is constant") {
  const Nvml nvml("0000:1b:00.0", TILECAST_FAKE_NVML);  // the fake library always reads 1.5 J
  NvmlWatch watch(nvml, 0ms);
  std::this_thread::sleep_for(50ms);
  const NvmlWatch::Seen seen = watch.end();
  CHECK(clock_event_text(seen.clock_events) == "sw_power_cap+sw_thermal_slowdown");
  CHECK_FALSE(seen.power.has_value());
}

TEST_CASE("A watch that has not settled reads nothing, and ends at once") {
  const Nvml nvml("0000:1b:00.0", TILECAST_FAKE_NVML);
  const auto begin = std::chrono::steady_clock::now();
  NvmlWatch watch(nvml, 10'000ms);
  CHECK_FALSE(watch.end().clock_events.has_value());
  CHECK(std::chrono::steady_clock::now() - begin < 5s);
}

TEST_CASE("Without the library a watch has seen nothing") {
  const Nvml nvml("0000:1b:00.0", "no_such_library.so.1");
  NvmlWatch watch(nvml, 0ms);
  std::this_thread::sleep_for(10ms);
  const NvmlWatch::Seen seen = watch.end();
  CHECK_FALSE(seen.power.has_value());
  CHECK_FALSE(seen.clock_events.has_value());
}
