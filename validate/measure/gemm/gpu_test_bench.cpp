#include "validate/measure/gemm/gpu_test_bench.h"

#include "kernels/jit/gemm_kernel.h"
#include "kernels/registry.h"
#include "model/base/error.h"

namespace tilecast {
namespace {

std::size_t bytes_of(i64 rows, i64 columns, ElementType type) {
  return static_cast<std::size_t>(rows * columns * element_bytes(type));
}

}  // namespace

GpuTestBench::GpuTestBench(const Device& device)
    : kernels(cache, device.sm_count, stream.get()),
      verifier(cache, kernels, cublaslt, stream),
      copier(cache, device.sm_count) {}

GpuTestBench& GpuTestBench::get(const Device& device) {
  static GpuTestBench bench(device);
  return bench;
}

void GpuTestBench::prepare(const GemmProblem& next, Inputs inputs) {
  static u64 seed = 1;
  problem = next;
  const auto [m, n, k] = next.shape;
  const i64 a_elements = elements_of_a(next), b_elements = elements_of_b(next);
  stream.synchronize();
  a.reserve(bytes_of(a_elements, 1, next.dtype));
  b.reserve(bytes_of(b_elements, 1, next.dtype));
  rows_of_groups.prepare(next);
  copier.prepare(next);
  c.reserve(bytes_of(matrices_of_c(next) * rows_in_memory(next), c_row(next), c_type(next)));
  // Fills the padding between rows too; the kernel must not read it.
  kernels.fill(a.as<void>(), static_cast<u64>(a_elements), next.dtype, inputs, seed++,
               stream.get());
  kernels.fill(b.as<void>(), static_cast<u64>(b_elements), next.dtype, inputs, seed++,
               stream.get());
  const i64 elements = bias_elements(next.epilogue, m, n);
  if (elements > 0) {
    const ElementType type = half_type(c_type(next));
    bias.reserve(bytes_of(elements, 1, type));
    kernels.fill(bias.as<void>(), static_cast<u64>(elements), type, Inputs::kNormal, seed++,
                 stream.get());
  }
  if (next.epilogue.has(OutputKind::kLoad)) {
    const i64 of_r = next.batch.products * m * c_row(next);
    residual.reserve(bytes_of(of_r, 1, c_type(next)));
    kernels.fill(residual.as<void>(), static_cast<u64>(of_r), c_type(next), Inputs::kNormal, seed++,
                 stream.get());
  }
  scales.prepare(next, seed++);
  verifier.prepare(next, buffers(nullptr));
}

GemmBuffers GpuTestBench::buffers(void* output) const {
  const bool biased = problem.epilogue.has(OutputKind::kBias);
  return {.a = a.as<void>(),
          .b = b.as<void>(),
          .c = output,
          .bias = biased ? bias.as<void>() : nullptr,
          .scales = scales.get(),
          .group_rows = rows_of_groups.get(),
          .residual = problem.epilogue.has(OutputKind::kLoad) ? residual.as<void>() : nullptr,
          .scale_c = scales.scale_c(),
          .amax = scales.amax()};
}

LoadedKernel GpuTestBench::load(const KernelConfig& config) {
  const CompiledKernel compiled = compile_gemm(config, ProblemKind::of(problem), cache);
  if (!compiled.usable()) {
    throw Error(ExitCode::kWrong, compiled.rejection);
  }
  return LoadedKernel(compiled.cubin, kGemmEntry);
}

Verdict GpuTestBench::check(const KernelConfig& config, bool in_place) {
  LoadedKernel kernel = load(config);
  const GemmLaunch launch(kernel, problem, config);
  return verifier.check([&](void* output) {
    GemmBuffers given = buffers(output);
    if (in_place) {
      const i64 bytes = static_cast<i64>(bytes_of_c(problem));
      TILECAST_CUDA(cudaMemcpyAsync(output, given.residual, static_cast<std::size_t>(bytes),
                                    cudaMemcpyDefault, stream.get()));
      given.residual = output;
    }
    copier.launch(given, stream.get());
    launch.launch(launch.bind(copier.copied(given)), stream.get());
  });
}

Verdict GpuTestBench::check_cublaslt() {
  const CublasltMatmul matmul(cublaslt, problem, false);
  const cublasLtMatmulAlgo_t algorithm = matmul.algorithms(1).front();
  return verifier.check(
      [&](void* output) { matmul.run(algorithm, buffers(nullptr), output, stream.get()); });
}

}  // namespace tilecast
