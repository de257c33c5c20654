// One GEMM configuration on the device against cuBLASLt and fp64, as a test's checks.
#pragma once

#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/hang_guard.h"
#include "validate/measure/gpu_test_bench.h"

namespace tilecast {

inline std::string to_text(const GemmProblem& problem) {
  return to_text(problem.shape) + " " + std::string(to_text(problem.dtype)) + " " +
         std::string(to_text(problem.layout)) +
         (fuses(problem.epilogue) ? " " + to_text(problem.epilogue) : "");
}

/// Right, and its error at most 1.1 times that of cuBLASLt's own result in the same type, if given.
inline void check_gemm(GpuTestBench& bench, const KernelConfig& config, const Verdict* cublaslt) {
  constexpr double kOfCublaslt = 1.1;
  constexpr double kReferenceError = 0x1p-20;  // of the fp32 reference itself
  const std::string what = to_text(bench.problem) + " " + to_text(config);
  const HangGuard guard(what);
  const Verdict verdict = bench.check(config);
  INFO(what);
  CHECK(verdict.fault == "");
  if (cublaslt != nullptr) {
    CHECK(verdict.rms_error <= kOfCublaslt * cublaslt->rms_error + kReferenceError);
    CHECK(verdict.max_error <= kOfCublaslt * cublaslt->max_error + kReferenceError);
  }
}

/// On all cores, so that no check waits for its kernel.
inline void compile_all(GpuTestBench& bench, const std::vector<std::string>& configs,
                        ElementType dtype, Layout layout) {
  std::vector<KernelSource> sources;
  for (const std::string& text : configs) {
    sources.push_back(gemm_source(parse_kernel_config(text), {dtype, layout}));
  }
  compile_ahead(sources, bench.cache);
}

}  // namespace tilecast
