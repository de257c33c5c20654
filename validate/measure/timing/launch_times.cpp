#include "validate/measure/timing/launch_times.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/quantile.h"

namespace tilecast {

std::vector<Kernels> between_markers(Kernels spans, std::string_view marker,
                                     std::size_t intervals) {
  std::vector<std::size_t> markers;  // from last to first
  for (std::size_t i = spans.size(); i > 0 && markers.size() <= intervals; --i) {
    if (spans[i - 1].name == marker) {
      markers.push_back(i - 1);
    }
  }
  if (markers.size() <= intervals) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no records of the clock samples");
  }
  std::vector<Kernels> between;
  for (std::size_t i = intervals; i > 0; --i) {
    between.push_back(spans.subspan(markers[i] + 1, markers[i - 1] - markers[i] - 1));
  }
  return between;
}

std::vector<i64> launch_nanoseconds(Kernels interval, std::size_t kernels_per_launch,
                                    std::size_t launches) {
  TILECAST_ASSERT(kernels_per_launch > 0 && launches > 0);
  if (interval.size() != kernels_per_launch * launches) {
    throw Error(ExitCode::kNoDevice, fmt::format("CUPTI delivered {} kernel records, expected {}",
                                                 interval.size(), kernels_per_launch * launches));
  }
  std::vector<i64> times;
  times.reserve(launches);
  u64 previous_end = (interval.data() - 1)->end_ns;  // end of the preceding marker
  for (std::size_t i = 0; i < launches; ++i) {
    const Kernels group = interval.subspan(i * kernels_per_launch, kernels_per_launch);
    const u64 start = std::max(group.front().start_ns, previous_end);
    u64 end = start;
    for (const KernelSpan& span : group) {
      end = std::max(end, span.end_ns);
    }
    times.push_back(static_cast<i64>(end - start));
    previous_end = end;
  }
  return times;
}

Seconds seconds_of(i64 nanoseconds) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  return {static_cast<double>(nanoseconds) * kSecondsPerNanosecond};
}

Seconds seconds_between(u64 start_ns, u64 end_ns) {
  return seconds_of(static_cast<i64>(end_ns - start_ns));
}

Gap longest_gap(Kernels spans) {
  Gap longest;
  const u64 begin = spans.front().start_ns;
  u64 busy_until = spans.front().end_ns;
  for (const KernelSpan& span : spans) {
    if (span.start_ns > busy_until) {
      const Seconds length = seconds_between(busy_until, span.start_ns);
      if (length > longest.length) {
        longest = {.length = length, .after = seconds_between(begin, busy_until)};
      }
    }
    busy_until = std::max(busy_until, span.end_ns);
  }
  return longest;
}

TimeDistribution distribution_of(std::vector<Seconds> times) {
  TILECAST_ASSERT(!times.empty());
  std::sort(times.begin(), times.end());
  return {.median = quantile_of_sorted<Seconds>(times, 0.5),
          .q1 = quantile_of_sorted<Seconds>(times, 0.25),
          .q3 = quantile_of_sorted<Seconds>(times, 0.75),
          .samples = static_cast<i64>(times.size())};
}

}  // namespace tilecast
