// The kernels that compute GEMM's reference (kernels/verify). All launches are asynchronous.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "kernels/verify/check_output.h"
#include "kernels/verify/epilogue_inputs.h"
#include "model/gemm/problem/gemm_problem.h"
#include "validate/measure/timing/kernel_set.h"

namespace tilecast {

/// Sources of the kernels, for compiling ahead.
std::vector<KernelSource> reference_kernel_sources();

class ReferenceKernels {
 public:
  ReferenceKernels(CubinCache& cache, i32 sm_count);

  void check_reference(const void* a, const void* b, const float* product,
                       const GemmProblem& problem, u64 samples, ReferenceCheck* check,
                       cudaStream_t stream) const;
  /// Applies the epilogue to one GEMM of the problem; `results` may be `sums` unless the
  /// epilogue gates.
  void apply_epilogue(const float* sums, float* results, const EpilogueInputs& inputs,
                      const GemmProblem& problem, cudaStream_t stream) const;
  /// Computes the GEMM of K-major fp16 elements whose blocks have scales.
  void scaled_reference(const void* a, const void* b, const ScaleArgs& scales, float* c,
                        const GemmProblem& problem, cudaStream_t stream) const;

 private:
  KernelSet kernels_;
};

}  // namespace tilecast
