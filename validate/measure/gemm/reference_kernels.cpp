#include "validate/measure/gemm/reference_kernels.h"

#include "model/gemm/problem/operand_copies.h"

namespace tilecast {
namespace {

// Kernels in the order of reference_kernel_sources().
enum Kernel : std::size_t { kReferenceGemm, kApplyEpilogue, kScaledReference };

}  // namespace

std::vector<KernelSource> reference_kernel_sources() {
  std::vector<KernelSource> sources;
  for (const char* const name : {"reference_gemm", "apply_epilogue", "scaled_reference"}) {
    sources.push_back({.path = std::string("kernels/verify/") + name + ".cu"});
  }
  return sources;
}

ReferenceKernels::ReferenceKernels(CubinCache& cache, i32 sm_count)
    : kernels_(cache, reference_kernel_sources(), sm_count) {}

void ReferenceKernels::check_reference(const void* a, const void* b, const float* product,
                                       const GemmProblem& problem, u64 samples,
                                       ReferenceCheck* check, cudaStream_t stream) const {
  kernels_.launch(kReferenceGemm, stream, a, b, product, static_cast<u64>(problem.shape.m),
                  static_cast<u64>(problem.shape.n), static_cast<u64>(problem.shape.k),
                  static_cast<u64>(given_row(problem.leading.a, sides_of_a(problem))),
                  static_cast<u64>(given_row(problem.leading.b, sides_of_b(problem))),
                  static_cast<i32>(problem.dtype), static_cast<i32>(problem.layout), samples,
                  check);
}

void ReferenceKernels::apply_epilogue(const float* sums, float* results,
                                      const EpilogueInputs& inputs, const GemmProblem& problem,
                                      cudaStream_t stream) const {
  kernels_.launch(kApplyEpilogue, stream, sums, results, inputs, static_cast<u64>(problem.shape.m),
                  static_cast<u64>(problem.shape.n), static_cast<i32>(c_type(problem)),
                  problem.epilogue);
}

void ReferenceKernels::scaled_reference(const void* a, const void* b, const ScaleArgs& scales,
                                        float* c, const GemmProblem& problem,
                                        cudaStream_t stream) const {
  kernels_.launch(kScaledReference, stream, a, b, scales.a, scales.b,
                  static_cast<u64>(scales.a_stride), static_cast<u64>(scales.b_stride), c,
                  static_cast<u64>(problem.shape.m), static_cast<u64>(problem.shape.n),
                  static_cast<u64>(problem.shape.k),
                  static_cast<u64>(given_row(problem.leading.a, sides_of_a(problem))),
                  static_cast<u64>(given_row(problem.leading.b, sides_of_b(problem))));
}

}  // namespace tilecast
