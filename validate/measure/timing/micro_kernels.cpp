#include "validate/measure/timing/micro_kernels.h"

#include <string>

#include "model/base/error.h"
#include "model/gemm/problem/operand_copies.h"
#include "validate/measure/device_memory.h"

namespace tilecast {
namespace {

constexpr i32 kThreads = 256;
constexpr u32 kCtasPerSm = 8;

constexpr const char* kNames[] = {
    "clock_sample", "fill_inputs",    "sum_squares",    "check_output", "check_guard",
    "check_same",   "reference_gemm", "apply_epilogue", "widen_fp8",    "scaled_reference"};
enum Kernel : std::size_t {
  kClockSample,
  kFillInputs,
  kSumSquares,
  kCheckOutput,
  kCheckGuard,
  kCheckSame,
  kReferenceGemm,
  kApplyEpilogue,
  kWidenFp8,
  kScaledReference
};

KernelSource source_of(const std::string& name) {
  const char* const folder = name == kNames[kClockSample] ? "kernels/micro/" : "kernels/verify/";
  return {.path = folder + name + ".cu", .defines = {}};
}

LoadedKernel load(CubinCache& cache, const std::string& name) {
  const CompiledKernel compiled = cache.get(source_of(name));
  if (!compiled.usable()) {
    throw Error(ExitCode::kWrong, name + ".cu: " + compiled.rejection);
  }
  return LoadedKernel(compiled.cubin, ("tilecast_" + name).c_str());
}

/// Enough CTAs to fill the GPU; the kernels stride over what is left.
LaunchShape wide(u32 sm_count) {
  return {.ctas = sm_count * kCtasPerSm, .threads = kThreads, .shared_memory_bytes = 0};
}

template <class... Arguments>
void launch(const LoadedKernel& kernel, const LaunchShape& shape, cudaStream_t stream,
            Arguments... arguments) {
  void* pointers[] = {&arguments...};
  kernel.launch(shape, pointers, stream);
}

}  // namespace

std::vector<KernelSource> micro_kernel_sources() {
  std::vector<KernelSource> sources;
  for (const char* const name : kNames) {
    sources.push_back(source_of(name));
  }
  return sources;
}

MicroKernels::MicroKernels(CubinCache& cache, i32 sm_count, cudaStream_t stream)
    : sm_count_(static_cast<u32>(sm_count)) {
  for (const char* const name : kNames) {
    kernels_.push_back(load(cache, name));
  }
  const DeviceMemory samples(clock_samples() * sizeof(ClockSample));
  sample_clock(samples.as<ClockSample>(), stream);
  TILECAST_CUDA(cudaStreamSynchronize(stream));
}

void MicroKernels::sample_clock(ClockSample* samples, cudaStream_t stream) const {
  constexpr i32 kWarp = 32;
  launch(kernels_[kClockSample], {.ctas = sm_count_, .threads = kWarp, .shared_memory_bytes = 0},
         stream, samples);
}

void MicroKernels::fill(void* elements, u64 count, ElementType type, Inputs inputs, u64 seed,
                        cudaStream_t stream) const {
  launch(kernels_[kFillInputs], wide(sm_count_), stream, elements, count, static_cast<i32>(type),
         static_cast<i32>(inputs), seed);
}

void MicroKernels::sum_squares(const float* values, u64 count, OutputCheck* check,
                               cudaStream_t stream) const {
  launch(kernels_[kSumSquares], wide(sm_count_), stream, values, count, check);
}

void MicroKernels::check_output(const void* output, const float* reference,
                                const GemmProblem& problem, ElementBound bound, OutputCheck* check,
                                cudaStream_t stream) const {
  const u64 columns = static_cast<u64>(c_columns(problem));
  const u64 rows = static_cast<u64>(matrices_of_c(problem) * problem.shape.m);
  launch(kernels_[kCheckOutput], wide(sm_count_), stream, output, reference, rows * columns,
         columns, static_cast<u64>(c_row(problem)), static_cast<i32>(c_type(problem)),
         bound.relative, bound.absolute, check);
}

void MicroKernels::check_guard(const void* words, u64 count, OutputCheck* check,
                               cudaStream_t stream) const {
  launch(kernels_[kCheckGuard], wide(sm_count_), stream, words, count, check);
}

void MicroKernels::check_same(const void* elements, const void* expected, u64 count, u64* different,
                              cudaStream_t stream) const {
  launch(kernels_[kCheckSame], wide(sm_count_), stream, elements, expected, count, different);
}

void MicroKernels::check_reference(const void* a, const void* b, const float* product,
                                   const GemmProblem& problem, u64 samples, ReferenceCheck* check,
                                   cudaStream_t stream) const {
  launch(kernels_[kReferenceGemm], wide(sm_count_), stream, a, b, product,
         static_cast<u64>(problem.shape.m), static_cast<u64>(problem.shape.n),
         static_cast<u64>(problem.shape.k),
         static_cast<u64>(given_row(problem.leading.a, sides_of_a(problem))),
         static_cast<u64>(given_row(problem.leading.b, sides_of_b(problem))),
         static_cast<i32>(problem.dtype), static_cast<i32>(problem.layout), samples, check);
}

void MicroKernels::widen_fp8(const void* narrow, void* widened, u64 elements, ElementType type,
                             cudaStream_t stream) const {
  launch(kernels_[kWidenFp8], wide(sm_count_), stream, narrow, widened, elements / 2,
         static_cast<i32>(type));
}

void MicroKernels::apply_epilogue(const float* sums, float* results, const EpilogueInputs& inputs,
                                  const GemmProblem& problem, cudaStream_t stream) const {
  launch(kernels_[kApplyEpilogue], wide(sm_count_), stream, sums, results, inputs,
         static_cast<u64>(problem.shape.m), static_cast<u64>(problem.shape.n),
         static_cast<i32>(c_type(problem)), problem.epilogue);
}

void MicroKernels::scaled_reference(const void* a, const void* b, const ScaleArgs& scales, float* c,
                                    const GemmProblem& problem, cudaStream_t stream) const {
  launch(kernels_[kScaledReference], wide(sm_count_), stream, a, b, scales.a, scales.b,
         static_cast<u64>(scales.a_stride), static_cast<u64>(scales.b_stride), c,
         static_cast<u64>(problem.shape.m), static_cast<u64>(problem.shape.n),
         static_cast<u64>(problem.shape.k),
         static_cast<u64>(given_row(problem.leading.a, sides_of_a(problem))),
         static_cast<u64>(given_row(problem.leading.b, sides_of_b(problem))));
}

}  // namespace tilecast
