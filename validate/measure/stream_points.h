// Measures the memory-bound kernels for the laboratory: each is checked to the bit over the whole
// problem, between guard bands, then timed in turns over buffers that are together larger than L2.
// The runtime's own device-to-device copy is timed beside them, by CUPTI's records of copies.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/loaded_kernel.h"
#include "model/base/regime.h"
#include "model/base/units.h"
#include "model/stream/stream_config.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/buffer_sets.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/regime_timer.h"
#include "validate/record/measurement.h"

namespace tilecast {

KernelSource stream_check_source();

class StreamPoints {
 public:
  /// All referred to outlive it.
  StreamPoints(CubinCache& cache, const MicroKernels& kernels, ActivityTimer& activity,
               const Stream& stream, Bytes l2, i32 sm_count);

  /// Times the launches of a workload, and counts what is asked for, into a row.
  using Timing = std::function<void(Measurement& row, Workload& workload)>;

  /// Fills in a row whose point is set, but for its context; `time` is for all but the runtime's
  /// copy. Throws as Laboratory::measure catches.
  void measure(Measurement& row, const Timing& time);

 private:
  struct Set {
    void *a, *b, *c;
  };

  void prepare(const StreamProblem& problem, Inputs inputs);
  Set set(std::size_t index) const;
  /// Whether one launch into poisoned memory, as `enqueue` does it, is right; says why not in
  /// `row`.
  bool verify(Measurement& row, const std::function<void(void* c)>& enqueue);
  void measure_kernel(Measurement& row, const Timing& time);
  void measure_runtime_copy(Measurement& row);

  CubinCache& cache_;
  const MicroKernels& kernels_;
  ActivityTimer& activity_;
  const Stream& stream_;
  Bytes l2_;
  i32 sm_count_;
  LoadedKernel check_;
  StreamProblem problem_{};
  std::optional<Inputs> prepared_;  // with what data, where problem_ is
  std::size_t matrix_bytes_ = 0;
  BufferSets sets_{};
  DeviceMemory memory_, output_, result_;
};

}  // namespace tilecast
