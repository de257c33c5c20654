// The mean SM clock between two launches of the clock sampler.
#pragma once

#include <span>

#include "kernels/micro/clock_sample.h"
#include "model/base/units.h"

namespace tilecast {

/// Returns the median clock of the SMs that both launches reached. Throws Error(kNoDevice)
/// if there is none, or if the clocks did not advance.
Hertz clock_between(std::span<const ClockSample> before, std::span<const ClockSample> after);

}  // namespace tilecast
