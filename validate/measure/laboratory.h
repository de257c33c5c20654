// Measures points on the current GPU: correctness first, then the order of tiles, then time. A
// kernel that is wrong is never timed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "validate/measure/activity_timer.h"
#include "validate/measure/cublaslt.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/micro_kernels.h"
#include "validate/measure/nvml.h"
#include "validate/measure/operands.h"
#include "validate/measure/regime_timer.h"
#include "validate/measure/stream_points.h"
#include "validate/measure/verifier.h"
#include "validate/record/measurement.h"

namespace tilecast {

/// A fault that ended the process's CUDA context: no later point can be measured by it.
struct ContextLost : Error {
  explicit ContextLost(const std::string& message) : Error(ExitCode::kWrong, message) {}
};

class Laboratory {
 public:
  /// Throws DeviceError where there is no GPU that runs the kernels, and what ActivityTimer throws.
  Laboratory();

  const Device& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  std::string driver_version() const;

  /// A row without its context: ok, wrong, failed, or skipped where the kernel is refused. Throws
  /// ContextLost, and DeviceError where the GPU is gone.
  Measurement measure(const Point& point);

 private:
  void prepare(const Point& point);
  void measure_kernel(Measurement& row);
  void measure_cublaslt(Measurement& row);
  bool verify(Measurement& row, const std::function<void(void* c)>& enqueue);
  void time(Measurement& row, Workload& workload);
  std::size_t fastest(const CublasltMatmul& matmul,
                      const std::vector<cublasLtMatmulAlgo_t>& algorithms);
  Workload workload_of(const CublasltMatmul& matmul, const cublasLtMatmulAlgo_t& algorithm) const;

  Device device_;
  ActivityTimer activity_;  // before whatever makes the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  Nvml nvml_;
  CubinCache cache_;
  MicroKernels kernels_;
  Cublaslt cublaslt_;
  Operands operands_;
  Verifier verifier_;
  RegimeTimer timer_;
  StreamPoints streams_;
  std::optional<std::pair<GemmProblem, Inputs>> prepared_;
  std::optional<std::size_t> fastest_of_prepared_;  // cuBLASLt's, once known
};

}  // namespace tilecast
