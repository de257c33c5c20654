// The compiled kernel of one GEMM configuration.
#pragma once

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/gemm_source.h"

namespace tilecast {

CompiledKernel compile_gemm(const KernelConfig& config, const ProblemKind& kind, CubinCache& cache,
                            SumScale scale = SumScale::kNone);

}  // namespace tilecast
