// Estimates the registers per thread that fused epilogues, C's type and Hilbert curves need, in
// addition to the accumulators and the base count of every kernel (occupancy.cpp). ptxas follows no
// formula: the numbers are the registers that kernels spilled, rounded up, among 5,300 compiled
// kernels of random problems (NVRTC 13.0). They reject all 83 kernels that spill and 77 that do
// not. They depend on the kernels' source and compiler, not on the GPU. Kernels that spill although
// this estimate accepts them are listed in configs/compiler_rejections.csv. Checked by:
// fused_registers_test.cpp, cli/gpu_compile_test.cpp (other kernels every day).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Additional registers per multiplying thread; `problem` is from as_run (swapped_operands.h).
i32 fused_registers(const GemmProblem& problem, const KernelConfig& config);

/// Whether a deferred store leaves enough registers for the epilogue. The waiting chunks fill the
/// registers; with amax, some kernels with several CTAs per SM spill.
bool defers_with_epilogue(const KernelConfig& config, const Epilogue& epilogue);

}  // namespace tilecast
