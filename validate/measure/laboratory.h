// Measures points on the current GPU: correctness first, then the order of tiles and whether the
// kernel is the one it claims to be (identity.h), then time. A kernel that is wrong is never timed.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/operand_copier.h"
#include "validate/measure/cublaslt.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/identity.h"
#include "validate/measure/operands.h"
#include "validate/measure/stream_points.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/clock_agreement.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/nvml.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/measure/verifier.h"
#include "validate/record/measurement.h"
#include "validate/run/context_lost.h"

namespace tilecast {

class Laboratory {
 public:
  /// Throws DeviceError where there is no GPU that runs the kernels, what ActivityTimer throws, and
  /// what check_clocks_agree throws; `counter` is the third clock.
  explicit Laboratory(const CounterClock& counter = {});

  const Device& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  std::string driver_version() const;

  const ClockReadings& clocks() const { return clocks_; }

  /// A row measured before, whose kernel later ones are compared with.
  void remember(const Measurement& row) { (void)identity_.repeated(row); }

  /// Of sustained rows (sustained_load.h).
  void sustain_for(Seconds window) { timer_.sustain_for(window); }

  /// Called with every row that has been timed and its launches, while the kernel is still loaded:
  /// counters, samples. What it throws fails the row.
  void after_timing(std::function<void(Measurement& row, const Workload& workload)> call) {
    after_timing_ = std::move(call);
  }

  /// A row without its context: ok, wrong, failed, or skipped where the kernel is refused. Throws
  /// ContextLost, and DeviceError where the GPU is gone.
  Measurement measure(const Point& point);

 private:
  void prepare(const Point& point);
  void measure_kernel(Measurement& row);
  void measure_cublaslt(Measurement& row);
  bool verify(Measurement& row, const std::function<void(void* c)>& enqueue, i32 rounded_sums = 1);
  bool is_what_it_claims(Measurement& row, const GemmLaunch& launch);
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
  OperandCopier copier_;
  Verifier verifier_;
  RegimeTimer timer_;
  StreamPoints streams_;
  ClockReadings clocks_;
  IdentityBook identity_;
  std::function<void(Measurement&, const Workload&)> after_timing_;
  std::optional<std::pair<GemmProblem, Inputs>> prepared_;
  std::optional<std::size_t> fastest_of_prepared_;  // cuBLASLt's, once known
};

}  // namespace tilecast
