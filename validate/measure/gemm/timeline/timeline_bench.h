// Runs the instrumented build of a GEMM kernel (kernels/device/timeline.cuh) and the ordinary one:
// the timeline, whether both give the same bits, and the overhead of recording.
//
// The recorded launch follows a rest and a few launches of the ordinary kernel, so that it meets
// the clock and caches of a timed burst launch.
#pragma once

#include <memory>
#include <optional>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_launch.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/gemm/operands.h"
#include "validate/measure/gemm/timeline/timeline.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct RecordedTimeline {
  Timeline timeline;
  Seconds duration;   // of the recorded launch, by CUPTI
  std::string fault;  // timeline_fault
  /// Elements of C that differ between the two builds; absent if a build differs from run to run.
  std::optional<u64> different_elements;
};

/// Medians of both builds, whose launches take turns.
struct TimelineCost {
  Seconds ordinary, instrumented;

  double slowdown() const { return instrumented / ordinary - 1; }
};

class TimelineBench {
 public:
  /// Throws DeviceError if no GPU runs the kernels, and as ActivityTimer.
  TimelineBench();
  ~TimelineBench();

  /// Throws ConfigError where either build is refused, CudaError and Error as the launches do.
  RecordedTimeline record(const GemmProblem& problem, const KernelConfig& config, Inputs inputs);
  TimelineCost cost(const GemmProblem& problem, const KernelConfig& config, Inputs inputs);

  const Device& device() const { return device_; }

 private:
  struct Builds;

  std::unique_ptr<Builds> prepare(const GemmProblem& problem, const KernelConfig& config,
                                  Inputs inputs);
  u64 different_elements(const Builds& builds);

  Device device_;
  ActivityTimer activity_;  // before anything creates the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  CubinCache cache_;
  MicroKernels kernels_;
  Operands operands_;
  DeviceMemory cta_stamps_, tile_stamps_, clock_readings_, other_c_, different_;
};

}  // namespace tilecast
