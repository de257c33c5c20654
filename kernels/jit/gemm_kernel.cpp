#include "kernels/jit/gemm_kernel.h"

namespace tilecast {

CompiledKernel compile_gemm(const KernelConfig& config, ElementType dtype, Layout layout,
                            CubinCache& cache, const Epilogue& epilogue, SumScale scale) {
  return cache.get(gemm_source(config, dtype, layout, epilogue, scale));
}

}  // namespace tilecast
