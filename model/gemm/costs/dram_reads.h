// Bounds a GEMM's DRAM reads; shared by the analytic model and the simulator. Checked by:
// traffic_test.cpp; why_impossible.h, for every prediction.
#pragma once

#include <algorithm>

#include "model/base/units.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Bytes of every operand and epilogue input, read once.
inline Bytes least_reads(const GemmProblem& problem) {
  return Bytes{gemm_bytes(problem) - bytes_of_c(problem)};
}

/// Clamps `read` between least_reads and the bytes that L2 delivers to the SMs.
inline Bytes possible_dram_reads(const GemmProblem& problem, Bytes read, Bytes l2_to_sm) {
  const Bytes once = least_reads(problem);
  return std::clamp(read, once, std::max(once, l2_to_sm));
}

}  // namespace tilecast
