// cuBLASLt as the baseline and as the reference: C[m,n] = A[m,k] * B row-major, fp32 accumulation,
// 64 MiB of workspace.
//
// cuBLASLt is column-major, so it computes the transposed GEMM: its first operand is B, its second
// is A, and its column-major n x m result is C. C in fp32 is contiguous.
#pragma once

#include <cublasLt.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "model/gemm/problem/gemm_problem.h"
#include "validate/measure/device_memory.h"

namespace tilecast {

/// Throws Error(kNoDevice) with cuBLAS's reason if `status` is not success.
void check_cublas(cublasStatus_t status, const char* call);

/// Library handle and workspace, for one stream at a time.
class Cublaslt {
 public:
  Cublaslt();
  ~Cublaslt();
  Cublaslt(const Cublaslt&) = delete;
  Cublaslt& operator=(const Cublaslt&) = delete;

  cublasLtHandle_t handle() const { return handle_; }
  const DeviceMemory& workspace() const { return workspace_; }

 private:
  cublasLtHandle_t handle_ = nullptr;
  DeviceMemory workspace_;
};

/// One problem, prepared to run with any algorithm.
class CublasltMatmul {
 public:
  /// C has the problem's type of C and its epilogue; with `fp32_output` it is fp32 without an
  /// epilogue. Throws ConfigError for an epilogue that cuBLASLt lacks. It supports scales (rows of
  /// B's block scales in multiples of four, ScaleArgs::b_stride), bias_n, relu and gelu_tanh;
  /// without bias and activation it also supports a residual with C's rows.
  CublasltMatmul(const Cublaslt& library, const GemmProblem& problem, bool fp32_output);

  /// Returns the heuristic's algorithms, best first; throws Error(kNoDevice) if it has none.
  std::vector<cublasLtMatmulAlgo_t> algorithms(int most) const;

  /// Takes A, B, bias and scales from `inputs`.
  void run(const cublasLtMatmulAlgo_t& algorithm, const GemmBuffers& inputs, void* c,
           cudaStream_t stream) const;

 private:
  template <class T>
  using Owned = std::unique_ptr<std::remove_pointer_t<T>, cublasStatus_t (*)(T)>;

  const Cublaslt& library_;
  Owned<cublasLtMatmulDesc_t> operation_;
  // Whether it adds R, which cuBLASLt calls C.
  bool adds_;
  Owned<cublasLtMatrixLayout_t> first_, second_, result_;  // B, A, C
};

/// Number of parts of K whose sums the algorithm rounds to C's type before adding them; 1
/// if it rounds once.
i32 rounded_sums(const cublasLtMatmulAlgo_t& algorithm);

/// Formats "algo=66 tile=20 stages=36 splitk=1 reduction=0 swizzle=0 cluster=3 inner=0", in
/// cuBLASLt's numbering (cublasLt.h: CUBLASLT_MATMUL_TILE_*, ...STAGES_*, CUBLASLT_CLUSTER_SHAPE_*,
/// CUBLASLT_REDUCTION_SCHEME_*).
std::string describe(const cublasLtMatmulAlgo_t& algorithm);

}  // namespace tilecast
