// Copies operands into padded rows that the copy engine can read
// (model/gemm/problem/operand_copies.h), in one launch before the kernel, and owns their memory.
#pragma once

#include <cuda_runtime_api.h>

#include <optional>

#include "kernels/gemm/copy_args.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/zeroed_memory.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/operand_copies.h"

namespace tilecast {

constexpr const char* kCopyEntry = "tilecast_copy_operands";
KernelSource copy_source(const std::string& architecture);

/// Fills in everything except the addresses. Matrix strides as in GemmBuffers.
CopyArgs copy_args(const GemmProblem& problem, i64 a_matrix_stride = 0, i64 b_matrix_stride = 0);
LaunchShape copy_shape(const CopyArgs& args, i32 sm_count);

/// Serves one problem at a time, whose launches must be ordered. Does nothing if no operand needs a
/// copy.
class OperandCopier {
 public:
  OperandCopier(CubinCache& cache, i32 sm_count);

  /// Compiles the kernel and allocates memory for the problem; the buffers' addresses may change.
  void prepare(const GemmProblem& problem);
  /// Returns the buffers that the kernel reads instead.
  GemmBuffers copied(GemmBuffers buffers) const;
  void launch(const GemmBuffers& buffers, cudaStream_t stream) const;

 private:
  CubinCache& cache_;
  i32 sm_count_;
  std::optional<LoadedKernel> kernel_;
  GemmProblem problem_{};
  CopiedOperands copies_{};
  ZeroedMemory a_, b_;
};

}  // namespace tilecast
