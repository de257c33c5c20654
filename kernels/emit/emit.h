// One configuration of an op as a source file that nvcc alone builds and runs: what the kernel uses
// of its sources in the order of their includes, then the host side: launch, check against a
// reference, and timing (main.cu).
// Checked by: emit_test.cpp (nvcc compiles what comes out of every family of schedules and of every
// kind of problem).
#pragma once

#include <string>

#include "kernels/jit/compile.h"
#include "model/base/units.h"
#include "model/ops/any_op.h"

namespace tilecast {

struct Emitted {
  AnyProblem problem;
  AnyConfig config;
  std::string gpu;   // that the forecast is of
  Seconds forecast;  // of the kernel alone
};

/// Whether kernels of the op are emitted.
bool is_emitted(Op op);

/// "gemm_512x512x512_bf16_nn.cu". Throws ConfigError where one kernel does not solve the problem.
std::string emitted_file_name(const AnyProblem& problem);

/// The command that builds and runs `file`.
std::string build_line(const Emitted& emitted, const std::string& file);

/// The whole file, named `file` in its first comment. Throws ConfigError where no kernel of the
/// schedule takes the problem.
std::string emitted_source(const Emitted& emitted, const std::string& file);

/// What the kernel uses of its sources, with all branches, as NVRTC compiles it.
KernelSource emitted_kernel(const AnyProblem& problem, const AnyConfig& config);

}  // namespace tilecast
