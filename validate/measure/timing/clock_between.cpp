#include "validate/measure/timing/clock_between.h"

#include <algorithm>
#include <map>
#include <vector>

#include "model/base/error.h"

namespace tilecast {

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
