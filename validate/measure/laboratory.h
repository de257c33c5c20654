// Measures points on the current GPU: first correctness, then that the kernel is the one of its
// configuration, then time. A wrong kernel is never timed. Op-specific steps are in lab_op.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/lab_op.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/clock_agreement.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/nvml.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/record/measurement.h"
#include "validate/run/context_lost.h"

namespace tilecast {

class Laboratory {
 public:
  /// Throws DeviceError if no GPU runs the kernels, and as ActivityTimer and check_clocks_agree;
  /// `counter` is the third clock.
  explicit Laboratory(const CounterClock& counter = {});

  const Device& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  std::string driver_version() const;

  const ClockReadings& clocks() const { return clocks_; }

  /// A row measured before, whose kernel later ones are compared with.
  void remember(const Measurement& row);

  /// Window of sustained rows (sustained_load.h).
  void sustain_for(Seconds window) { timer_.sustain_for(window); }

  /// Called with every timed row and its launches, while the kernel is still loaded: counters,
  /// samples. An exception fails the row.
  void after_timing(std::function<void(Measurement& row, const Workload& workload)> call) {
    after_timing_ = std::move(call);
  }

  /// A row without its context: ok, wrong, failed, or skipped where the kernel is refused. Throws
  /// ContextLost, and DeviceError where the GPU is gone.
  Measurement measure(const Point& point);

 private:
  /// Opens the op's harness at its first use.
  LabOp& op_of(const AnyProblem& problem);
  void prepare(const AnyProblem& problem, Inputs inputs);
  void measure_prepared(Measurement& row);
  void time(Measurement& row, Workload& workload);

  Device device_;
  ActivityTimer activity_;  // before anything creates the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  Nvml nvml_;
  CubinCache cache_;
  MicroKernels kernels_;
  RegimeTimer timer_;
  ClockReadings clocks_;
  std::vector<std::unique_ptr<LabOp>> ops_;
  std::function<void(Measurement&, const Workload&)> after_timing_;
  std::optional<std::pair<AnyProblem, Inputs>> prepared_;
};

}  // namespace tilecast
