#include "validate/measure/timing/timer_parts.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "model/base/error.h"

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

Hertz clock_between(std::span<const ClockSample> before, std::span<const ClockSample> after) {
  constexpr double kNanosecondsPerSecond = 1e9;
  std::map<u32, ClockSample> first_of_sm;
  for (const ClockSample& sample : before) {
    if (sample.valid == 1) {
      first_of_sm.emplace(sample.smid, sample);
    }
  }
  std::vector<double> clocks;
  for (const ClockSample& sample : after) {
    const auto first = first_of_sm.find(sample.smid);
    if (sample.valid != 1 || first == first_of_sm.end() ||
        sample.nanoseconds <= first->second.nanoseconds || sample.cycles <= first->second.cycles) {
      continue;
    }
    clocks.push_back(static_cast<double>(sample.cycles - first->second.cycles) /
                     static_cast<double>(sample.nanoseconds - first->second.nanoseconds) *
                     kNanosecondsPerSecond);
  }
  if (clocks.empty()) {
    throw Error(ExitCode::kNoDevice,
                "the SM clock could not be read: no SM delivered a valid pair of samples");
  }
  const auto middle = clocks.begin() + static_cast<std::ptrdiff_t>(clocks.size() / 2);
  std::nth_element(clocks.begin(), middle, clocks.end());
  return {*middle};
}

}  // namespace tilecast
