#include "validate/measure/timing/timer_parts.h"

#include <algorithm>
#include <cmath>

#include "validate/measure/timing/clock_between.h"

namespace tilecast {
namespace {

constexpr Seconds kLaunchGap{1e-6};  // gap between two kernels of a graph
constexpr double kMost = 2000;       // launches of one graph

}  // namespace

std::vector<Hertz> TimerParts::clocks_between(std::size_t launches) const {
  const std::size_t count = kernels.clock_samples();
  const std::vector<ClockSample> all =
      copy_to_host(samples.as<ClockSample>(), launches * count, stream.get());
  std::vector<Hertz> clocks;
  for (std::size_t i = 1; i < launches; ++i) {
    clocks.push_back(
        clock_between({all.data() + (i - 1) * count, count}, {all.data() + i * count, count}));
  }
  return clocks;
}

std::size_t launches_in(Seconds length, Seconds one_launch) {
  const double count = std::floor(length / (one_launch + kLaunchGap));
  return static_cast<std::size_t>(std::clamp(count, 1.0, kMost));
}

std::span<const KernelSpan> newest(const KernelSpans& taken, std::size_t count) {
  const std::span<const KernelSpan> spans(taken.spans);
  return spans.last(std::min(count, spans.size()));
}

}  // namespace tilecast
