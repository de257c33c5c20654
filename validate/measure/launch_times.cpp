#include "validate/measure/launch_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/quantile.h"

namespace tilecast {
namespace {

constexpr std::size_t kLeastBlocks = 3;
constexpr std::size_t kMostBlocks = 7;
constexpr double kQuietSpread = 0.005;

}  // namespace

std::span<const KernelSpan> between_markers(std::span<const KernelSpan> spans,
                                            std::string_view marker) {
  const auto is_marker = [&](const KernelSpan& span) { return span.name == marker; };
  const auto last = std::find_if(spans.rbegin(), spans.rend(), is_marker);
  const auto first = last == spans.rend() ? last : std::find_if(last + 1, spans.rend(), is_marker);
  if (first == spans.rend()) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no records of the clock samples");
  }
  return {first.base(), last.base() - 1};
}

std::vector<Seconds> launch_times(std::span<const KernelSpan> spans, std::string_view marker,
                                  std::size_t kernels_per_launch, std::size_t launches) {
  TILECAST_ASSERT(kernels_per_launch > 0 && launches > 0);
  const std::span<const KernelSpan> timed = between_markers(spans, marker);
  if (timed.size() != kernels_per_launch * launches) {
    throw Error(ExitCode::kNoDevice,
                fmt::format("CUPTI delivered {} kernel records where {} were expected",
                            timed.size(), kernels_per_launch * launches));
  }
  std::vector<Seconds> times;
  times.reserve(launches);
  u64 previous_end = (timed.data() - 1)->end_ns;  // the marker before
  for (std::size_t i = 0; i < launches; ++i) {
    const std::span<const KernelSpan> group =
        timed.subspan(i * kernels_per_launch, kernels_per_launch);
    const u64 start = std::max(group.front().start_ns, previous_end);
    u64 end = start;
    for (const KernelSpan& span : group) {
      end = std::max(end, span.end_ns);
    }
    times.push_back(seconds_between(start, end));
    previous_end = end;
  }
  return times;
}

Seconds seconds_between(u64 start_ns, u64 end_ns) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  return {static_cast<double>(end_ns - start_ns) * kSecondsPerNanosecond};
}

TimeDistribution distribution_of(std::vector<Seconds> times) {
  TILECAST_ASSERT(!times.empty());
  std::sort(times.begin(), times.end());
  return {.median = quantile_of_sorted<Seconds>(times, 0.5),
          .q1 = quantile_of_sorted<Seconds>(times, 0.25),
          .q3 = quantile_of_sorted<Seconds>(times, 0.75),
          .samples = static_cast<i64>(times.size())};
}

double relative_spread(const std::vector<Seconds>& values) {
  const TimeDistribution d = distribution_of(values);
  return (d.q3 - d.q1) / d.median;
}

bool quiet_enough(const std::vector<Seconds>& block_medians) {
  return block_medians.size() >= kMostBlocks ||
         (block_medians.size() >= kLeastBlocks && relative_spread(block_medians) < kQuietSpread);
}

}  // namespace tilecast
