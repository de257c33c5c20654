#include "validate/measure/timing/micro_kernels.h"

#include "validate/measure/device_memory.h"

namespace tilecast {
namespace {

// Kernels in the order of micro_kernel_sources().
enum Kernel : std::size_t {
  kClockSample,
  kFillInputs,
  kSumSquares,
  kCheckOutput,
  kCheckGuard,
  kCheckSame,
  kWidenFp8
};

}  // namespace

std::vector<KernelSource> micro_kernel_sources() {
  std::vector<KernelSource> sources{{.path = "kernels/micro/clock_sample.cu"}};
  for (const char* const name :
       {"fill_inputs", "sum_squares", "check_output", "check_guard", "check_same", "widen_fp8"}) {
    sources.push_back({.path = std::string("kernels/verify/") + name + ".cu"});
  }
  return sources;
}

MicroKernels::MicroKernels(CubinCache& cache, i32 sm_count, cudaStream_t stream)
    : kernels_(cache, micro_kernel_sources(), sm_count) {
  const DeviceMemory samples(clock_samples() * sizeof(ClockSample));
  sample_clock(samples.as<ClockSample>(), stream);
  TILECAST_CUDA(cudaStreamSynchronize(stream));
}

void MicroKernels::sample_clock(ClockSample* samples, cudaStream_t stream) const {
  constexpr i32 kWarp = 32;
  kernels_.launch(
      kClockSample,
      {.ctas = static_cast<u32>(sm_count()), .threads = kWarp, .shared_memory_bytes = 0}, stream,
      samples);
}

void MicroKernels::fill(void* elements, u64 count, ElementType type, Inputs inputs, u64 seed,
                        cudaStream_t stream) const {
  kernels_.launch(kFillInputs, stream, elements, count, static_cast<i32>(type),
                  static_cast<i32>(inputs), seed);
}

void MicroKernels::sum_squares(const float* values, u64 count, OutputCheck* check,
                               cudaStream_t stream) const {
  kernels_.launch(kSumSquares, stream, values, count, check);
}

void MicroKernels::check_output(const OutputMatrix& output, const float* reference,
                                ElementBound bound, OutputCheck* check, cudaStream_t stream) const {
  kernels_.launch(kCheckOutput, stream, output.elements, reference,
                  static_cast<u64>(output.rows * output.columns), static_cast<u64>(output.columns),
                  static_cast<u64>(output.row_stride), static_cast<i32>(output.type),
                  bound.relative, bound.absolute, bound.deviations, bound.deviates, check);
}

void MicroKernels::check_guard(const void* words, u64 count, OutputCheck* check,
                               cudaStream_t stream) const {
  kernels_.launch(kCheckGuard, stream, words, count, check);
}

void MicroKernels::check_same(const void* elements, const void* expected, u64 count, u64* different,
                              cudaStream_t stream) const {
  kernels_.launch(kCheckSame, stream, elements, expected, count, different);
}

void MicroKernels::widen_fp8(const void* narrow, void* widened, u64 elements, ElementType type,
                             cudaStream_t stream) const {
  kernels_.launch(kWidenFp8, stream, narrow, widened, elements / 2, static_cast<i32>(type));
}

}  // namespace tilecast
