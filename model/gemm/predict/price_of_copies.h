// What copies of operands (model/gemm/problem/operand_copies.h) add to every kernel of a problem:
// the time of the best memcpy of as many bytes, by the closed form of memory-bound kernels. Leaves
// out that rows begin anywhere, the step from one kernel to the next, and what of the copies the
// kernel still finds in L2. Checked by: price_of_copies_test.cpp.
#pragma once

#include <optional>

#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// None where nothing is copied. Throws ConfigError where the GPU file has no stream section.
std::optional<OperandCopies> operand_copies(const GpuSpec& gpu, const AnyProblem& problem,
                                            Regime regime, Inputs inputs);

/// Puts them before the kernel.
void add_copies(const std::optional<OperandCopies>& copies, Prediction& p);

}  // namespace tilecast
