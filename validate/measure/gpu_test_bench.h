// What tests on the device share. Such tests are tagged [gpu]; where there is no GPU that runs the
// kernels, the first of them ends the program with CTest's skip code.
#pragma once

#include <string>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/gemm_launch.h"
#include "model/tile/kernel_config.h"
#include "validate/measure/cublaslt.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/micro_kernels.h"
#include "validate/measure/verifier.h"

namespace tilecast {

class GpuTestBench {
 public:
  /// The one bench of this program. Exits with 77 where there is no device.
  static GpuTestBench& get();

  /// Fresh inputs for `problem`, and its reference.
  void prepare(const GemmProblem& problem, Inputs inputs);

  /// Compiles and loads the configuration for the problem prepared last.
  LoadedKernel load(const KernelConfig& config);

  CubinCache cache;
  Stream stream;
  MicroKernels kernels;
  Cublaslt cublaslt;
  Verifier verifier;
  GemmProblem problem{};
  DeviceMemory a, b, c;

 private:
  GpuTestBench();
};

}  // namespace tilecast
