// The source of one GEMM configuration's kernel and the macros that it is compiled with. Only what
// must be constant is compiled in, so configurations that differ in their bands or walk alone share
// a cubin.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/compile.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// The macros that kernels/gemm/compile_time_config.h reads.
std::vector<std::string> defines_for(const KernelConfig& config, ElementType dtype, Layout layout,
                                     const Epilogue& epilogue = {},
                                     SumScale scale = SumScale::kNone);

/// Throws ConfigError where no kernel of this schedule supports dtype, layout, clusters or
/// epilogue.
KernelSource gemm_source(const KernelConfig& config, ElementType dtype, Layout layout,
                         const Epilogue& epilogue = {}, SumScale scale = SumScale::kNone);

}  // namespace tilecast
