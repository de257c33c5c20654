// The closed form of a GEMM kernel at the clock that it leaves itself.
// Checked by: predict_test.cpp.
#pragma once

#include "model/analytic/closed_form.h"
#include "model/clock/clock.h"
#include "model/predict/settled_clock.h"

namespace tilecast {

Settled<ClosedForm> settled_form(const GpuSpec& gpu, const GemmProblem& problem,
                                 const KernelConfig& config, const GemmWork& work, Regime regime,
                                 Inputs inputs);

}  // namespace tilecast
