// The only place that changes a prediction's time or interval: updates the values that depend on
// them, and keeps both above the hard bounds at the prediction's clock. Checked by:
// retime_test.cpp, tests/random.
#pragma once

#include "model/clock/clock.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Rate in 1e12 operations per second.
inline double tera_per_second(Flops work, Seconds time) {
  return work.value / time.value * si::kPico;
}

/// Sets the 90 % interval to `low` and `high` times `p.time`; low <= 1 <= high.
void set_interval(double low, double high, Prediction& p);

/// Sets the interval to the GPU file's default_interval around `p.time`.
void set_default_interval(const GpuSpec& gpu, Prediction& p);

/// Sets the kernel's DRAM traffic, and its bound at the highest measured rate.
void set_dram_bytes(const GpuSpec& gpu, Bytes read, Bytes written, Prediction& p);

/// Fills in the remaining fields of an analytic prediction except TFLOPS. `p` must already hold the
/// cycles at `clock`, the bytes and their shares, and the bounds.
void settle(const GpuSpec& gpu, const ClockState& clock, Prediction& p);

/// Clamps `value` to its range. If it was outside by more than rounding, adds its name to
/// `p.clamped`.
double clamped(std::string_view what, double least, double value, double most, Prediction& p);

/// Clamps the shares of `p` to 0 and 1.
void hold_shares(Prediction& p);

/// Changes `p` to the same work in `cycles`, at least its bounds, and at another clock. Updates
/// time, power, TFLOPS and shares; the interval keeps its relative width.
void retime(Cycles cycles, const ClockState& clock, Prediction& p);

/// Adjusts shares before a correction by `longer`. A resource that the uncorrected model keeps busy
/// for longer than the corrected kernel takes must in fact be faster and always busy, so its share
/// becomes `longer`, which retime scales to one.
void allow_busy(double longer, Prediction& p);

/// Calls retime with all cycles scaled by `factor`, at the prediction's clock and not below its
/// bounds.
void stretch(double factor, Prediction& p);

}  // namespace tilecast
