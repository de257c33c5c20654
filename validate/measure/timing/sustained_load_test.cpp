#include "validate/measure/timing/sustained_load.h"

#include <vector>

#include "tests/catch.h"

namespace tilecast {
namespace {

/// Kernels of 1 ms back to back.
std::vector<KernelSpan> load_of(std::size_t kernels) {
  constexpr u64 kBegin = 5'000'000, kLength = 1'000'000;
  std::vector<KernelSpan> spans;
  for (std::size_t i = 0; i < kernels; ++i) {
    spans.push_back({"k", kBegin + i * kLength, kBegin + (i + 1) * kLength});
  }
  return spans;
}

std::string fault_of(const std::vector<KernelSpan>& spans, std::size_t first_counted,
                     Seconds least = kSustainedWindow) {
  const std::vector<Kernels> slices{Kernels(spans).subspan(first_counted)};
  return why_not_sustained(spans, slices, least);
}

TEST_CASE("A load is sustained from 250 ms before the first counted launch and for 1 s") {
  CHECK(fault_of(load_of(1250), 250).empty());
  CHECK(fault_of(load_of(1250), 249) ==
        "the load lasted only 249 ms before sampling, expected at least 250 ms");
  CHECK(fault_of(load_of(1249), 250) ==
        "only 999 ms of the load were sampled, expected at least 1000 ms");
  // A shorter window needs proportionally fewer kernels.
  CHECK(fault_of(load_of(350), 250, Seconds{0.1}).empty());
  CHECK(fault_of(load_of(349), 250, Seconds{0.1}) ==
        "only 99 ms of the load were sampled, expected at least 100 ms");
}

TEST_CASE("A gap of more than 1 ms is reported with its place") {
  std::vector<KernelSpan> spans = load_of(1260);
  for (std::size_t i = 300; i < spans.size(); ++i) {
    spans[i].start_ns += 1'000'000;
    spans[i].end_ns += 1'000'000;
  }
  CHECK(fault_of(spans, 250).empty());  // exactly 1 ms
  for (std::size_t i = 300; i < spans.size(); ++i) {
    spans[i].start_ns += 7'700'000;
    spans[i].end_ns += 7'700'000;
  }
  CHECK(fault_of(spans, 250) == "the load was interrupted for 8.7 ms, 300 ms after it began");
}

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

}  // namespace
}  // namespace tilecast
