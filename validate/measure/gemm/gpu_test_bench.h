// Bench for tests on the device: inputs, reference and kernels for one problem after another.
#pragma once

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/operand_copier.h"
#include "model/gemm/config/kernel_config.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/gemm/cublaslt.h"
#include "validate/measure/gemm/operands.h"
#include "validate/measure/gemm/verifier.h"
#include "validate/measure/timing/micro_kernels.h"

namespace tilecast {

class GpuTestBench {
 public:
  /// Returns the only bench of this program.
  static GpuTestBench& get(const Device& device);

  /// Creates new inputs for `problem`, and computes its reference.
  void prepare(const GemmProblem& problem, Inputs inputs);

  /// Buffers of the problem that was prepared last, with `output` as C.
  GemmBuffers buffers(void* output) const;

  /// Compiles and loads the configuration for the problem prepared last.
  LoadedKernel load(const KernelConfig& config);

  /// Runs the configuration once on the problem prepared last and verifies the result. `in_place`:
  /// R is copied to C, whose rows are contiguous, and C is its own residual.
  Verdict check(const KernelConfig& config, bool in_place = false);

  /// Runs cuBLASLt's top heuristic on the problem prepared last, without epilogue and with C in the
  /// problem's type, and verifies the result.
  Verdict check_cublaslt();

  CubinCache cache;
  Stream stream;
  MicroKernels kernels;
  Cublaslt cublaslt;
  Verifier verifier;
  OperandCopier copier;
  GemmProblem problem{};
  DeviceMemory a, b, c, bias, residual;
  RowsOfGroups rows_of_groups;
  OperandScales scales;

 private:
  explicit GpuTestBench(const Device& device);
};

}  // namespace tilecast
