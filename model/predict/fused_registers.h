// Registers that fused epilogues, C's type and Hilbert curves need of a thread, beyond what every
// kernel needs beside its accumulators (occupancy.cpp). ptxas decides, and it is no formula: the
// steps are those by which kernels spilled, rounded up, of 5,300 compiled kernels of random
// problems (NVRTC 13.0), of which they refuse all 83 that spill and 77 that do not. What
// spills in spite of them is kept in configs/compiler_rejections.csv.
// Checked by: fused_registers_test.cpp, cli/gpu_compile_test.cpp (other kernels every day).
#pragma once

#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// `problem` as the kernel runs it.
i32 fused_registers(const GemmProblem& problem, const KernelConfig& config);

/// Whether a deferred store leaves registers for the epilogue: the chunks that wait fill what there
/// is, and with amax some of CTAs that share an SM spill.
bool defers_with_epilogue(const KernelConfig& config, const Epilogue& epilogue);

}  // namespace tilecast
