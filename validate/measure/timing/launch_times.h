// From kernel records to the time of each launch, and from launch times to a distribution.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

using Kernels = std::span<const KernelSpan>;

/// The kernels between each two neighbours of the last `intervals` + 1 kernels named `marker`,
/// without the markers, in order. Throws Error(kNoDevice) where there are fewer markers.
std::vector<Kernels> between_markers(Kernels spans, std::string_view marker, std::size_t intervals);

/// Nanoseconds of each launch in `interval`, as between_markers gave it. A launch is
/// `kernels_per_launch` kernels in a row and lasts from its first start, or the end of the launch
/// before where it began earlier, to its last end. Throws Error(kNoDevice) where there are not
/// exactly `launches` of them.
std::vector<i64> launch_nanoseconds(Kernels interval, std::size_t kernels_per_launch,
                                    std::size_t launches);

Seconds seconds_between(u64 start_ns, u64 end_ns);
Seconds seconds_of(i64 nanoseconds);

/// A time between two kernels in which nothing ran, and when it began after the first kernel did.
struct Gap {
  Seconds length{0}, after{0};
};

/// The longest; `spans` not empty.
Gap longest_gap(Kernels spans);

/// Quartiles by linear interpolation between order statistics; `times` not empty.
TimeDistribution distribution_of(std::vector<Seconds> times);

}  // namespace tilecast
