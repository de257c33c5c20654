// From kernel records to the time of each launch, and from launch times to a distribution.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/base/units.h"
#include "validate/measure/activity_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// The launches between the last two kernels named `marker`. A launch is `kernels_per_launch`
/// kernels in a row and lasts from its first start, or the end of the launch before where it began
/// earlier, to its last end. Throws Error(kNoDevice) where records are missing: not exactly
/// `launches` of them, or no two markers.
std::vector<Seconds> launch_times(std::span<const KernelSpan> spans, std::string_view marker,
                                  std::size_t kernels_per_launch, std::size_t launches);

/// The kernels between the last two markers, without them; throws as launch_times.
std::span<const KernelSpan> between_markers(std::span<const KernelSpan> spans,
                                            std::string_view marker);

Seconds seconds_between(u64 start_ns, u64 end_ns);

/// Quartiles by linear interpolation between order statistics; `times` not empty.
TimeDistribution distribution_of(std::vector<Seconds> times);

/// (q3 - q1) / median of `values`.
double relative_spread(const std::vector<Seconds>& values);

/// Repeating stops here: at least 3 blocks whose medians spread by less than 0.5 %, or 7 blocks.
bool quiet_enough(const std::vector<Seconds>& block_medians);

}  // namespace tilecast
