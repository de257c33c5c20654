// SM clock and power of a kernel from its mean energy per cycle.
//
// Power follows energy.h. Any tensor work lowers the clock to a plateau. In a burst, a fast limiter
// caps P at burst_limit; under sustained load, sustained_limit caps it too.
//
// Not modelled: phases within a kernel, which the fast limiter follows (phase_clock.h). Checked by:
// clock_test.cpp; clocks of committed H200 measurements (validate).
#pragma once

#include <string_view>

#include "model/clock/energy.h"

namespace tilecast {

/// Cause of the clock.
enum class ClockLimiter {
  kHighestClock,
  kTensorPlateau,
  kBurstPower,      // fast limiter
  kSustainedPower,  // sustained power cap
};

std::string_view to_text(ClockLimiter limiter);

struct ClockState {
  Hertz sm_clock;
  Watts power;
  ClockLimiter limiter;
};

/// Computes the mean energy per cycle over the whole kernel.
CycleEnergy cycle_energy(const GpuSpec& gpu, const ChipWork& work, Inputs inputs);

/// Returns the highest clock for this work at any energy.
Hertz highest_clock(const GpuSpec& gpu, const ChipWork& work);

ClockState sm_clock(const GpuSpec& gpu, const ChipWork& work, Regime regime, Inputs inputs);

}  // namespace tilecast
