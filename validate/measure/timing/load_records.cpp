#include "validate/measure/timing/load_records.h"

#include <fmt/format.h>

namespace tilecast {
namespace {

constexpr double kMilli = 1e3;

}  // namespace

std::string why_not_sustained(Kernels spans, std::span<const Kernels> slices, Seconds least) {
  const u64 begin = spans.front().start_ns, sampled_from = slices.front().front().start_ns;
  if (const Seconds loaded = seconds_between(begin, sampled_from); loaded < kLoadLength) {
    return fmt::format(
        "the load lasted only {:.0f} ms before sampling, expected at least {:.0f} ms",
        loaded.value * kMilli, kLoadLength.value * kMilli);
  }
  if (const Seconds sampled = seconds_between(sampled_from, slices.back().back().end_ns);
      sampled < least) {
    return fmt::format("only {:.0f} ms of the load were sampled, expected at least {:.0f} ms",
                       sampled.value * kMilli, least.value * kMilli);
  }
  if (const Gap gap = longest_gap(spans); gap.length > kLongestGap) {
    return fmt::format("the load was interrupted for {:.1f} ms, {:.0f} ms after it began",
                       gap.length.value * kMilli, gap.after.value * kMilli);
  }
  return "";
}

}  // namespace tilecast
