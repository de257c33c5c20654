// Converts kernel records to the time of each launch, and launch times to a distribution.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

using Kernels = std::span<const KernelSpan>;

/// Returns the kernels between neighbouring markers, for the last `intervals` + 1 kernels named
/// `marker`, in order. Throws Error(kNoDevice) if there are fewer markers.
std::vector<Kernels> between_markers(Kernels spans, std::string_view marker, std::size_t intervals);

/// Returns the nanoseconds of each launch in `interval`, an element of between_markers' result. A
/// launch is `kernels_per_launch` consecutive kernels. It lasts until its last end; it begins with
/// its first start, or with the end of the preceding launch if that is later. Throws
/// Error(kNoDevice) if there are not exactly `launches` of them.
std::vector<i64> launch_nanoseconds(Kernels interval, std::size_t kernels_per_launch,
                                    std::size_t launches);

Seconds seconds_between(u64 start_ns, u64 end_ns);
Seconds seconds_of(i64 nanoseconds);

/// An interval in which no kernel ran, and its start relative to the start of the first kernel.
struct Gap {
  Seconds length{0}, after{0};
};

/// Returns the longest gap; `spans` must not be empty.
Gap longest_gap(Kernels spans);

/// Quartiles by linear interpolation between order statistics; `times` must not be empty.
TimeDistribution distribution_of(std::vector<Seconds> times);

}  // namespace tilecast
