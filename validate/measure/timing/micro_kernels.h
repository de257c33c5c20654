// The small kernels that measuring needs: inputs and checks (kernels/verify), clock samples
// (kernels/micro). Compiled through the cubin cache like every other; all launches are
// asynchronous.
#pragma once

#include <cuda_runtime_api.h>

#include <string_view>
#include <vector>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/cubin_cache.h"
#include "kernels/jit/loaded_kernel.h"
#include "kernels/micro/clock_sample.h"
#include "kernels/verify/check_output.h"
#include "kernels/verify/epilogue_inputs.h"
#include "model/base/regime.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Their sources, to be compiled ahead.
std::vector<KernelSource> micro_kernel_sources();

/// By how much one element may differ from its reference.
struct ElementBound {
  float relative, absolute;
};

class MicroKernels {
 public:
  /// Loads them all and runs the clock sampler once, so that nothing is loaded inside a graph.
  MicroKernels(CubinCache& cache, i32 sm_count, cudaStream_t stream);

  static constexpr std::string_view kClockSampler = "tilecast_clock_sample";

  std::size_t clock_samples() const { return sm_count_; }  // of one launch
  void sample_clock(ClockSample* samples, cudaStream_t stream) const;

  void fill(void* elements, u64 count, ElementType type, Inputs inputs, u64 seed,
            cudaStream_t stream) const;

  /// Adds up into `check`, which the caller has cleared.
  void sum_squares(const float* values, u64 count, OutputCheck* check, cudaStream_t stream) const;
  void check_output(const void* output, const float* reference, const GemmProblem& problem,
                    ElementBound bound, OutputCheck* check, cudaStream_t stream) const;
  void check_guard(const void* words, u64 count, OutputCheck* check, cudaStream_t stream) const;
  /// 16-bit elements whose bits differ.
  void check_same(const void* elements, const void* expected, u64 count, u64* different,
                  cudaStream_t stream) const;
  void check_reference(const void* a, const void* b, const float* product,
                       const GemmProblem& problem, u64 samples, ReferenceCheck* check,
                       cudaStream_t stream) const;
  /// fp8 elements, an even number of them, as fp16.
  void widen_fp8(const void* narrow, void* widened, u64 elements, ElementType type,
                 cudaStream_t stream) const;
  /// Of one product of the problem; `results` may be `sums` but for a gate.
  void apply_epilogue(const float* sums, float* results, const EpilogueInputs& inputs,
                      const GemmProblem& problem, cudaStream_t stream) const;
  /// The product of K-major fp16 elements whose blocks have scales.
  void scaled_reference(const void* a, const void* b, const ScaleArgs& scales, float* c,
                        const GemmProblem& problem, cudaStream_t stream) const;

 private:
  std::vector<LoadedKernel> kernels_;
  u32 sm_count_;
};

}  // namespace tilecast
