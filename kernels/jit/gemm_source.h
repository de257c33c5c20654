// The source of one GEMM configuration's kernel and the macros that it is compiled with. Only what
// must be constant is compiled in, so configurations that differ in their bands or walk alone share
// a cubin.
#pragma once

#include <string>
#include <vector>

#include "kernels/jit/compile.h"
#include "model/tile/kernel_config.h"
#include "model/tile/problem_kind.h"

namespace tilecast {

/// The macros that kernels/gemm/compile_time_config.h reads. `config` as of a problem of this kind:
/// of fp8 in elements of K.
std::vector<std::string> defines_for(const KernelConfig& config, const ProblemKind& kind,
                                     SumScale scale = SumScale::kNone);

/// Throws ConfigError where no kernel of this schedule supports types, layout, clusters,
/// epilogue, batches, groups or programmatic launches.
KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind,
                         SumScale scale = SumScale::kNone);

}  // namespace tilecast
