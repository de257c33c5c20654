// Which configurations can run: on this GPU, on this problem. Rules of kernels (kernel_rules.h),
// then the hardware's limits and the problem's sizes; a refusal is a rule's word, which is counted,
// and its sentence. Checked by: legality_test.cpp (each rule), refusal_text_test.cpp,
// kernels/jit/gemm_kernel_test.cpp (what is legal here compiles without spills), the column
// ctas_per_sm of every measured row (occupancy).
#pragma once

#include <string>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/rule.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Reason why no kernel that tilecast has for this GPU solves this problem, whatever the
/// configuration; else empty.
std::string why_not_solvable(const GpuSpec& gpu, const GemmProblem& problem);

/// Assumes a GPU on which schedules run and a solvable problem.
Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// The same as a sentence, with the smallest change that would make the kernel legal where one of a
/// single key does; empty where it is.
std::string why_not_legal(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config);

}  // namespace tilecast
