// The one place where a prediction gets another time or interval: what follows from time and cycles
// follows there, and no end comes below the hard bounds at the prediction's clock.
// Checked by: retime_test.cpp, tests/random.
#pragma once

#include "model/clock/clock.h"
#include "model/predict/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Nine of ten times lie between `low` and `high` of `p.time`; low <= 1 <= high.
void set_interval(double low, double high, Prediction& p);

/// The GPU file's default_interval each way around `p.time`; of memory-bound kernels
/// stream.interval.
void set_default_interval(const GpuSpec& gpu, Prediction& p);

/// Completes a prediction by closed form: `p` has its cycles at `clock`, the bytes and shares of
/// them, and its bounds.
void settle(const GpuSpec& gpu, Flops work, const ClockState& clock, Prediction& p);

/// Makes `p` the same work in other cycles, or in as few as its bounds leave it, and at another
/// clock: time, power, TFLOPS and shares follow, and the interval is as wide as it was.
void retime(Cycles cycles, const ClockState& clock, Prediction& p);

/// The same if everything took `factor` times as long at the clock that `p` has.
void stretch(double factor, Prediction& p);

}  // namespace tilecast
