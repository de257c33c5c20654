// Checks of one GEMM configuration on the device, against cuBLASLt and fp64, for tests.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/hang_guard.h"
#include "validate/measure/gemm/gpu_test_bench.h"
#include "validate/measure/gemm/tile_trace.h"

namespace tilecast {

/// Checks that the result is correct and, if cuBLASLt's verdict is given, that its error is at most
/// 1.1 times that of cuBLASLt in the same type.
inline void check_gemm(GpuTestBench& bench, const KernelConfig& config, const Verdict* cublaslt) {
  constexpr double kOfCublaslt = 1.1;
  constexpr double kReferenceError = 0x1p-20;  // error of the fp32 reference itself
  const std::string what = to_text(bench.problem) + " " + to_text(config);
  const HangGuard guard(what);
  const Verdict verdict = bench.check(config);
  INFO(what);
  CHECK(verdict.fault == "");
  if (cublaslt != nullptr) {
    CHECK(verdict.rms_error <= kOfCublaslt * cublaslt->rms_error + kReferenceError);
    CHECK(*verdict.max_error <= kOfCublaslt * *cublaslt->max_error + kReferenceError);
  }
}

/// Compiles on all cores in advance, so that no check waits for its kernel.
inline void compile_all(GpuTestBench& bench, const std::vector<std::string>& configs,
                        ElementType dtype, Layout layout) {
  std::vector<KernelSource> sources;
  for (const std::string& text : configs) {
    sources.push_back(gemm_source(gemm_config(text), {dtype, layout}));
  }
  compile_ahead(sources, bench.cache);
}

/// Draws a number from 1 to `most`.
inline i64 drawn_up_to(i64 most, std::mt19937& random) {
  return 1 + static_cast<i64>(random() % static_cast<u64>(most));
}

/// Operand type for the index-th problem of a test.
inline ElementType drawn_type(int index) {
  constexpr ElementType kTypes[] = {ElementType::kFp16, ElementType::kBf16, ElementType::kE4m3};
  return kTypes[index % 3];
}

/// Draws one of `legal`, if there is any.
inline void draw_one(const std::vector<KernelConfig>& legal, std::mt19937& random,
                     std::vector<KernelConfig>& drawn) {
  if (!legal.empty()) {
    drawn.push_back(legal[random() % legal.size()]);
  }
}

/// A problem and configurations drawn for it.
struct Drawn {
  GemmProblem problem;
  std::vector<KernelConfig> configs;
};

inline void compile_all(GpuTestBench& bench, const std::vector<Drawn>& drawn) {
  std::vector<KernelSource> sources;
  for (const auto& [problem, configs] : drawn) {
    for (const KernelConfig& config : configs) {
      sources.push_back(gemm_source(config, ProblemKind::of(problem)));
    }
  }
  compile_ahead(sources, bench.cache);
}

/// Checks that each result is correct and that tiles are walked as modelled. Returns the number of
/// kernels checked per schedule: all except compiler rejections.
inline std::map<Schedule, int> check_walked(GpuTestBench& bench, const std::vector<Drawn>& drawn) {
  compile_all(bench, drawn);
  std::map<Schedule, int> of_schedule;
  for (const auto& [problem, configs] : drawn) {
    bench.prepare(problem, Inputs::kNormal);
    for (const KernelConfig& config : configs) {
      if (!compile_gemm(config, ProblemKind::of(problem), bench.cache).usable()) {
        continue;
      }
      INFO(to_text(problem) << " " << to_text(config));
      check_gemm(bench, config, nullptr);
      LoadedKernel kernel = bench.load(config);
      const GemmLaunch launch(kernel, problem, config);
      const std::vector<WalkedPiece> walked = record_tile_trace(
          launch, bench.copier.copied(bench.buffers(bench.c.as<void>())), bench.stream.get());
      CHECK(tile_trace_difference(walked, expected_tile_trace(launch),
                                  launch.max_tiles_per_cta()) == "");
      ++of_schedule[config.schedule];
    }
  }
  return of_schedule;
}

}  // namespace tilecast
