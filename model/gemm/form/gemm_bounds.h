// Computes hard lower bounds of a GEMM (hard_bounds.h). Checked by: gemm_bounds_test.cpp.
#pragma once

#include "model/form/hard_bounds.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// `gpu` must run GEMM schedules.
HardBounds hard_bounds(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
