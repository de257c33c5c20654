// Which measured kernels a prediction leans on. Checked by: learned_reasons_test.cpp.
#pragma once

#include "model/learn/learned.h"

namespace tilecast {

/// Of a GEMM's prediction on this GPU, which has what was learned as long as the answer lives; the
/// kernels most like it, none where nothing was learned or none is like it.
LearnedReasons learned_reasons(const GpuSpec& gpu, const GemmProblem& problem,
                               const Prediction& predicted, Regime regime, std::size_t most = 3);

}  // namespace tilecast
