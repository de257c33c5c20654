// Runs the instrumented build of a GEMM kernel (kernels/device/timeline.cuh) and the ordinary one:
// the timeline, whether both give the same bits, and the overhead of recording.
//
// The recorded launch follows a rest and a few launches of the ordinary kernel, so that clock and
// caches are those of a timed burst launch.
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
  Seconds duration;   // duration of the recorded launch, from CUPTI
  std::string fault;  // result of timeline_fault
  /// Elements of C that differ between the two builds; absent if a build differs from run to run.
  std::optional<u64> different_elements;
};

/// Median times of both builds, launched alternately.
struct TimelineCost {
  Seconds ordinary, instrumented;

  double slowdown() const { return instrumented / ordinary - 1; }
};

class TimelineBench {
 public:
  /// Throws DeviceError if no GPU runs the kernels, and the exceptions of ActivityTimer.
  TimelineBench();
  ~TimelineBench();

  /// Throws ConfigError if either build is rejected, and CudaError and Error like the launches.
  RecordedTimeline record(const GemmProblem& problem, const KernelConfig& config, Inputs inputs);
  TimelineCost cost(const GemmProblem& problem, const KernelConfig& config, Inputs inputs);

  const Device& device() const { return device_; }

 private:
  struct Builds;

  std::unique_ptr<Builds> prepare(const GemmProblem& problem, const KernelConfig& config,
                                  Inputs inputs);
  u64 different_elements(const Builds& builds);

  Device device_;
  ActivityTimer activity_;  // created before anything creates the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  CubinCache cache_;
  MicroKernels kernels_;
  Operands operands_;
  DeviceMemory cta_stamps_, tile_stamps_, clock_readings_, other_c_, different_;
};

}  // namespace tilecast
