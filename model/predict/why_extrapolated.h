// What sets a prediction marked `extrapolated` apart from the kernels that were measured, as far as
// its problem shows it. Checked by: why_extrapolated_test.cpp.
#pragma once

#include <string>

#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// "nothing was learned from epilogues"; "K is 65536, of measured kernels 64 to 32768"; where the
/// problem is among those measured and the kernel is not, "little resembles a measured kernel".
std::string why_extrapolated(const GpuSpec& gpu, const GemmProblem& problem);

}  // namespace tilecast
