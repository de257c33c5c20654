// Every kernel: what it is made of, what it must do at least. All follows from a schedule's row:
// kernels/gemm has a source of its name. What it takes say the rules
// (model/gemm/rules/kernel_rules.h).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct GemmKernelInfo {
  Schedule schedule;
  std::string source;             // of the embedded sources
  std::string_view architecture;  // the only one whose GPUs run it
};

std::span<const GemmKernelInfo> gemm_kernels();

const GemmKernelInfo& gemm_kernel_info(Schedule schedule);

/// The schedule whose kernel runs it: how K is split is decided at run time, in one for all that
/// do.
constexpr Schedule kernel_of(Schedule schedule) {
  return splits_k(schedule) ? Schedule::kStreamK : schedule;
}

/// The entry point of every GEMM source.
constexpr const char* kGemmEntry = "tilecast_gemm";

/// Multiply-adds counted as two.
Flops required_flops(const GemmProblem& problem);

/// A, B and the bias read once, C written once.
Bytes required_bytes(const GemmProblem& problem);

}  // namespace tilecast
