// Runs the instrumented build of a GEMM kernel (kernels/device/timeline.cuh) beside the ordinary
// one: its timeline, whether it gives the same bits, and what writing the timeline down costs.
//
// The recorded launch comes after a rest and a few launches of the ordinary kernel, so that it
// finds the clock and the caches as a timed launch of a burst does.
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
  /// Of C, between the two builds; absent where a build itself gives other bits every time.
  std::optional<u64> different_elements;
};

/// Medians of both builds, whose launches take turns.
struct TimelineCost {
  Seconds ordinary, instrumented;

  double slowdown() const { return instrumented / ordinary - 1; }
};

class TimelineBench {
 public:
  /// Throws DeviceError where there is no GPU that runs the kernels, and what ActivityTimer throws.
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
  ActivityTimer activity_;  // before whatever makes the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  CubinCache cache_;
  MicroKernels kernels_;
  Operands operands_;
  DeviceMemory cta_stamps_, tile_stamps_, clock_readings_, other_c_, different_;
};

}  // namespace tilecast
