// One configuration of a GEMM as a source file that nvcc alone builds and runs: the kernel's own
// sources pasted in the order of their includes, then the host side of kernels/emit/main.cu.
// Checked by: emit_gemm_test.cpp (nvcc compiles what comes out of every family of schedules and of
// every kind of problem).
#pragma once

#include <string>

#include "kernels/jit/compile.h"
#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct EmittedGemm {
  GemmProblem problem;
  KernelConfig config;
  std::string gpu;   // that the forecast is of
  Seconds forecast;  // of the kernel alone
};

/// The command that builds and runs `file`.
std::string build_line(const KernelConfig& config, const std::string& file);

/// Of a kernel's source what it uses, with all branches, as NVRTC compiles it.
std::string emitted_kernel(const KernelSource& source);

/// The whole file, named `file` in its first comment. Throws ConfigError where no kernel of the
/// schedule takes the problem.
std::string emitted_source(const EmittedGemm& gemm, const std::string& file);

}  // namespace tilecast
