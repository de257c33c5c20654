#include "kernels/jit/gemm_kernel.h"

namespace tilecast {

CompiledKernel compile_gemm(const KernelConfig& config, const ProblemKind& kind, CubinCache& cache,
                            SumScale scale) {
  return cache.get(gemm_source(config, kind, scale));
}

}  // namespace tilecast
