// Small kernels that measuring any operation needs: inputs and checks (kernels/verify), clock
// samples (kernels/micro). All launches are asynchronous.
#pragma once

#include <string_view>

#include "kernels/micro/clock_sample.h"
#include "kernels/verify/check_output.h"
#include "model/base/element_type.h"
#include "model/base/regime.h"
#include "validate/measure/timing/kernel_set.h"

namespace tilecast {

/// Sources of the kernels, for compiling them before the run.
std::vector<KernelSource> micro_kernel_sources();

/// Allowed difference of one element from its reference. `deviations`: one per element, in device
/// memory; `deviates` times an element's deviation is allowed. If null, no such allowance.
struct ElementBound {
  float relative, absolute;
  const float* deviations = nullptr;
  float deviates = 0;
};

/// A result in memory: rows of `columns` elements, `row_stride` elements apart.
struct OutputMatrix {
  const void* elements;
  i64 rows, columns, row_stride;
  ElementType type;
};

class MicroKernels {
 public:
  /// Loads all kernels and runs the clock sampler once, so that nothing is loaded inside a graph.
  MicroKernels(CubinCache& cache, i32 sm_count, cudaStream_t stream);

  static constexpr std::string_view kClockSampler = "tilecast_clock_sample";

  i32 sm_count() const { return kernels_.sm_count(); }
  std::size_t clock_samples() const {
    return static_cast<std::size_t>(sm_count());
  }  // size of one launch
  void sample_clock(ClockSample* samples, cudaStream_t stream) const;

  void fill(void* elements, u64 count, ElementType type, Inputs inputs, u64 seed,
            cudaStream_t stream) const;

  /// Adds to `check`, which the caller must have cleared.
  void sum_squares(const float* values, u64 count, OutputCheck* check, cudaStream_t stream) const;
  /// `reference` must be contiguous.
  void check_output(const OutputMatrix& output, const float* reference, ElementBound bound,
                    OutputCheck* check, cudaStream_t stream) const;
  void check_guard(const void* words, u64 count, OutputCheck* check, cudaStream_t stream) const;
  /// Counts 16-bit elements whose bits differ.
  void check_same(const void* elements, const void* expected, u64 count, u64* different,
                  cudaStream_t stream) const;
  /// Converts fp8 elements, an even number of them, to fp16.
  void widen_fp8(const void* narrow, void* widened, u64 elements, ElementType type,
                 cudaStream_t stream) const;

 private:
  KernelSet kernels_;
};

}  // namespace tilecast
