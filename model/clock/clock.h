// The SM clock that a kernel's mean energy leaves it, and the power it draws.
//
// Power as energy.h says. Any tensor work takes the clock down to a plateau. Burst: a fast limiter
// holds P to burst_limit. Sustained: to sustained_limit too.
//
// Leaves out: phases within a kernel, which the fast limiter follows (phase_clock.h). Checked by:
// clock_test.cpp; the clocks of committed H200 rows (validate).
#pragma once

#include <string_view>

#include "model/clock/energy.h"

namespace tilecast {

/// What keeps the clock where it is.
enum class ClockLimiter {
  kHighestClock,
  kTensorPlateau,
  kBurstPower,      // the fast limiter
  kSustainedPower,  // the cap
};

std::string_view to_text(ClockLimiter limiter);

struct ClockState {
  Hertz sm_clock;
  Watts power;
  ClockLimiter limiter;
};

/// Of all the work at once: energy of a cycle in the mean.
CycleEnergy cycle_energy(const GpuSpec& gpu, const ChipWork& work, Inputs inputs);

/// Highest clock that the limiters leave a kernel whatever its energy.
Hertz highest_clock(const GpuSpec& gpu, const ChipWork& work);

ClockState sm_clock(const GpuSpec& gpu, const ChipWork& work, Regime regime, Inputs inputs);

}  // namespace tilecast
