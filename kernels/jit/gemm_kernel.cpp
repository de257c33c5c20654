#include "kernels/jit/gemm_kernel.h"

namespace tilecast {

CompiledKernel compile_gemm(const KernelConfig& config, GemmTypes types, Layout layout,
                            CubinCache& cache, const Epilogue& epilogue, SumScale scale) {
  return cache.get(gemm_source(config, types, layout, epilogue, scale));
}

}  // namespace tilecast
