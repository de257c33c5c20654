// Bounds of what a GEMM reads from DRAM, which the closed forms and the simulator share.
// Checked by: traffic_test.cpp; why_impossible.h, of every prediction.
#pragma once

#include <algorithm>

#include "model/base/units.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Every operand and what the epilogue reads, once.
inline Bytes least_reads(const GemmProblem& problem) {
  return Bytes{gemm_bytes(problem) - bytes_of_c(problem)};
}

/// `read`, but at least least_reads, and at most what L2 delivers to the SMs.
inline Bytes possible_dram_reads(const GemmProblem& problem, Bytes read, Bytes l2_to_sm) {
  const Bytes once = least_reads(problem);
  return std::clamp(read, once, std::max(once, l2_to_sm));
}

}  // namespace tilecast
