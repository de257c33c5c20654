// Determines which configurations can run on this GPU for this problem: rules of kernels
// (kernel_rules.h), then hardware limits and the problem's size. A rejection consists of the rule's
// name, by which rejections are counted, and a message. Checked by: legality_test.cpp (each rule),
// refusal_text_test.cpp, kernels/jit/gemm_kernel_test.cpp (legal kernels compile without spills),
// column ctas_per_sm of every measurement (occupancy).
#pragma once

#include <string>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/rule.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Explains why no kernel for this GPU solves this problem in any configuration; empty if one does.
std::string why_not_solvable(const GpuSpec& gpu, const GemmProblem& problem);

/// Requires a GPU with GEMM schedules and a solvable problem.
Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

/// Returns the reason as a message, with the smallest single-key change that makes the kernel
/// legal, if there is one; empty if it is legal.
std::string why_not_legal(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config);

}  // namespace tilecast
