// The one place where a prediction gets another time: what follows from time and cycles follows
// there. Checked by: retime_test.cpp.
#pragma once

#include "model/clock/clock.h"
#include "model/predict/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// The GPU file's default_interval each way around `p.time`; of memory-bound kernels
/// stream.interval.
void set_default_interval(const GpuSpec& gpu, Prediction& p);

/// Makes `p` the same work in other cycles and at another clock: time, power, TFLOPS and shares
/// follow, and the interval is as wide as it was.
void retime(Cycles cycles, const ClockState& clock, Prediction& p);

/// The same if everything took `factor` times as long at the clock that `p` has.
void stretch(double factor, Prediction& p);

}  // namespace tilecast
