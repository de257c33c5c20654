// Explains why a prediction is marked `extrapolated`: how the problem differs from the measured
// ones, as far as that shows. Checked by: why_extrapolated_test.cpp.
#pragma once

#include <string>

#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns "not in the training data: batches"; "K is 65536 (measured: 64 to 32768)"; or "no
/// measured kernel is similar" if the problem is in the measured range but the kernel is unlike the
/// measured ones.
std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& problem);
/// The same for any op; "" for ops whose predictions are never extrapolated.
std::string why_extrapolated(const GpuSpec& gpu, const AnyProblem& problem);

}  // namespace tilecast
