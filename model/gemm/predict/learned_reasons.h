// Finds the measured kernels on which a prediction is based. Checked by: learned_reasons_test.cpp.
#pragma once

#include "model/learn/learned.h"

namespace tilecast {

/// Returns the most similar kernels for a GEMM's prediction; empty without a learned correction or
/// without similar kernels. The GPU must outlive the result.
LearnedReasons learned_reasons(const GpuSpec& gpu, const GemmProblem& problem,
                               const Prediction& predicted, Regime regime, std::size_t most = 3);

}  // namespace tilecast
