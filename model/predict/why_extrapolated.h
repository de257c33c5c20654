// Explains why a prediction is marked `extrapolated`: the difference from the measured kernels, as
// far as the problem shows it. Checked by: why_extrapolated_test.cpp.
#pragma once

#include <string>

#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns "epilogues were not in the training data"; "K is 65536 (measured: 64 to 32768)"; or "no
/// measured kernel is similar" if the problem is within the measured ones and the kernel is not.
std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& problem);
/// The overload for any op; "" for ops whose predictions are never extrapolated.
std::string why_extrapolated(const GpuSpec& gpu, const AnyProblem& problem);

}  // namespace tilecast
