// The one place where a prediction gets another time or interval: what follows from time and cycles
// follows there, and neither comes below the hard bounds at the prediction's clock.
// Checked by: retime_test.cpp, tests/random.
#pragma once

#include "model/clock/clock.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Tera-operations in a second.
inline double tera_per_second(Flops work, Seconds time) {
  return work.value / time.value * si::kPico;
}

/// Nine of ten times lie between `low` and `high` of `p.time`; low <= 1 <= high.
void set_interval(double low, double high, Prediction& p);

/// The GPU file's default_interval each way around `p.time`.
void set_default_interval(const GpuSpec& gpu, Prediction& p);

/// The kernel moves so much to and from DRAM, no faster than that has been measured.
void set_dram_bytes(const GpuSpec& gpu, Bytes read, Bytes written, Prediction& p);

/// Completes a prediction by closed form but for its TFLOPS: `p` has its cycles at `clock`, the
/// bytes and shares of them, and its bounds.
void settle(const GpuSpec& gpu, const ClockState& clock, Prediction& p);

/// `value` within its range. Where it is outside by more than rounding, `p` notes what was clamped.
double clamped(std::string_view what, double least, double value, double most, Prediction& p);

/// Shares of `p` between none and all, by `clamped`.
void hold_shares(Prediction& p);

/// Makes `p` the same work in other cycles, or in as few as its bounds leave it, and at another
/// clock: time, power, TFLOPS and shares follow, and the interval is as wide as it was.
void retime(Cycles cycles, const ClockState& clock, Prediction& p);

/// A part that physics has busy for more than the time of a kernel `longer` times as long serves it
/// faster than physics has it, and is busy all the time: its share becomes `longer`, of which
/// retime makes one.
void allow_busy(double longer, Prediction& p);

/// The same as retime if everything took `factor` times as long at the clock that `p` has, or as
/// little as its bounds leave it.
void stretch(double factor, Prediction& p);

}  // namespace tilecast
