// Measures the memory-bound kernels: each is checked to the bit over the whole problem, then timed.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/device.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/jit/stream_launch.h"
#include "model/tile/regime.h"
#include "model/tile/stream_config.h"
#include "validate/measure/activity_timer.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/micro_kernels.h"
#include "validate/measure/nvml.h"
#include "validate/measure/regime_timer.h"

namespace tilecast {

/// One row: a configuration on a problem, or the runtime's own copy.
struct StreamRow {
  std::string config;
  StreamProblem problem;
  std::string status;  // ok, wrong or skipped
  std::string reason;
  std::optional<TimedWorkload> timed;
  i32 registers = 0;
  i32 resident_ctas_per_sm = 0;
  double bytes = 0;  // that must move

  double bytes_per_second() const { return timed ? bytes / timed->time.median.value : 0; }
};

constexpr const char* kRuntimeCopy = "cudaMemcpyAsync";

/// Header and one line of CSV.
std::string stream_csv_header();
std::string stream_csv_line(const StreamRow& row, const std::string& gpu, Regime regime);

class StreamBench {
 public:
  StreamBench();

  const Device& device() const { return device_; }

  /// `text`: a configuration, or kRuntimeCopy for the runtime's device-to-device copy.
  StreamRow measure(const std::string& text, const StreamProblem& problem, Regime regime);

 private:
  void prepare(const StreamProblem& problem);
  /// Words of C that are wrong after one launch into poisoned memory.
  u64 wrong_words(const StreamProblem& problem, bool copy, const std::function<void()>& enqueue);
  TimedWorkload time(const std::function<void()>& enqueue, Regime regime);

  Device device_;
  ActivityTimer activity_;  // before whatever makes the CUDA context
  Stream stream_;
  DeviceFacts facts_;
  Nvml nvml_;
  CubinCache cache_;
  MicroKernels kernels_;
  LoadedKernel check_;
  RegimeTimer timer_;
  std::optional<StreamProblem> prepared_;
  DeviceMemory a_, b_, c_, wrong_;
};

}  // namespace tilecast
