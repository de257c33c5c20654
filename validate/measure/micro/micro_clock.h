// Runs wgmmas on chosen SMs for a chosen time, and reads the SM clock during that time
// (kernels/micro/clock_trace.cu).
#pragma once

#include <vector>

#include "kernels/micro/operand_data.h"
#include "validate/measure/micro/micro_lab.h"

namespace tilecast {

struct ClockReading {
  u64 cycles, nanoseconds;
};

struct WgmmaLoad {
  u64 length, busy, period;  // in ns
  u32 sms;
  OperandData data;
};

/// Returns a reading every `every` ns.
std::vector<ClockReading> trace_clock(MicroLab& lab, const WgmmaLoad& load, u64 every);

/// SM cycles per nanosecond over the `width` ns that end `at` ns after the first reading, from the
/// nearest readings.
double clock_at(const std::vector<ClockReading>& trace, u64 at, u64 width);

}  // namespace tilecast
