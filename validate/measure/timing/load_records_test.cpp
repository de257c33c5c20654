#include "validate/measure/timing/load_records.h"

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

}  // namespace
}  // namespace tilecast
