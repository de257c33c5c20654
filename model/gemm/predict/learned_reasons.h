// The measured kernels that a prediction is based on. Checked by: learned_reasons_test.cpp.
#pragma once

#include "model/learn/learned.h"

namespace tilecast {

/// The most similar kernels for a GEMM's prediction; empty without a learned correction or without
/// similar kernels. The GPU must outlive the result.
LearnedReasons learned_reasons(const GpuSpec& gpu, const GemmProblem& problem,
                               const Prediction& predicted, Regime regime, std::size_t most = 3);

}  // namespace tilecast
