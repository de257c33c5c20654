// Measures points on the current GPU. First checks the result, then the kernel's identity, then
// measures the time, so a wrong kernel is never timed. Op-specific steps are in lab_op.h.
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

namespace tilecast {

class Laboratory {
 public:
  /// Throws DeviceError if no GPU runs the kernels, and the exceptions of ActivityTimer and
  /// check_clocks_agree; `counter` is the third clock.
  explicit Laboratory(const CounterClock& counter = {});

  const Device& device() const { return device_; }
  const DeviceFacts& facts() const { return facts_; }
  std::string driver_version() const;

  const ClockReadings& clocks() const { return clocks_; }

  /// Remembers a row that was measured before, so that later kernels are compared with its kernel.
  void remember(const Measurement& row);

  /// Sets the window of sustained rows (sustained_load.h).
  void sustain_for(Seconds window) { timer_.sustain_for(window); }

  /// Sets a function that is called with every timed row and its launches, while the kernel is
  /// still loaded, for counters and samples. An exception fails the row.
  void after_timing(std::function<void(Measurement& row, const Workload& workload)> call) {
    after_timing_ = std::move(call);
  }

  /// Returns a row without its context: ok, wrong, failed, or skipped if the kernel is rejected.
  /// Throws ContextLost, and DeviceError if the GPU is gone.
  Measurement measure(const Point& point);

 private:
  /// Returns the op's harness, created at first use.
  LabOp& op_of(const AnyProblem& problem);
  void prepare(const AnyProblem& problem, Inputs inputs);
  void measure_prepared(Measurement& row);
  void time(Measurement& row, Workload& workload);

  Device device_;
  ActivityTimer activity_;  // created before anything creates the CUDA context
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
