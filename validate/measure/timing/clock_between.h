// The mean SM clock between two launches of the clock sampler.
#pragma once

#include <span>

#include "kernels/micro/clock_sample.h"
#include "model/base/units.h"

namespace tilecast {

/// Cycles over nanoseconds of each SM that both launches reached, median over those SMs. Throws
/// Error(kNoDevice) where there is none, or the clocks did not advance.
Hertz clock_between(std::span<const ClockSample> before, std::span<const ClockSample> after);

}  // namespace tilecast
