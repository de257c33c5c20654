// Predicts the time that operand copies (model/gemm/problem/operand_copies.h) add to every kernel
// of a problem: the time of the fastest memcpy of the same number of bytes, by the analytic model
// of memory-bound kernels. Not modelled: unaligned rows, the transition between the two kernels,
// and L2 hits of the kernel on the copies. Checked by: price_of_copies_test.cpp.
#pragma once

#include <optional>

#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns nullopt if nothing is copied. Throws ConfigError if the GPU file has no stream section.
std::optional<OperandCopies> operand_copies(const GpuSpec& gpu, const AnyProblem& problem,
                                            Regime regime, Inputs inputs);

/// Adds the copies' time to a prediction.
void add_copies(const std::optional<OperandCopies>& copies, Prediction& p);

}  // namespace tilecast
