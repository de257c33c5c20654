// Writes one configuration of an op as a source file that needs only nvcc to build and run. It
// contains the parts of the kernel's sources that it uses, in the order of their includes, and then
// the host code: launch, check against a reference, and timing (main.cu). Checked by: emit_test.cpp
// (nvcc compiles the output for every family of schedules and every kind of problem).
#pragma once

#include <string>

#include "kernels/jit/compile.h"
#include "model/base/units.h"
#include "model/ops/any_op.h"

namespace tilecast {

struct Emitted {
  AnyProblem problem;
  AnyConfig config;
  std::string gpu;   // GPU of the forecast
  Seconds forecast;  // forecast time of the kernel only
};

/// Returns "gemm_512x512x512_bf16_nn.cu". Throws ConfigError if one kernel does not solve the
/// problem.
std::string emitted_file_name(const AnyProblem& problem);

/// Returns the command that builds and runs `file`.
std::string build_line(const Emitted& emitted, const std::string& file);

/// Returns the whole source, named `file` in its first comment. Throws ConfigError if no kernel of
/// the schedule supports the problem.
std::string emitted_source(const Emitted& emitted, const std::string& file);

/// Returns the parts of its sources that the kernel uses, with all branches, as NVRTC compiles it.
KernelSource emitted_kernel(const AnyProblem& problem, const AnyConfig& config);

}  // namespace tilecast
