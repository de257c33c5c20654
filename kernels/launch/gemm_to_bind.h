// Converts a problem and its configuration to the arguments of bind_gemm.
#pragma once

#include "kernels/launch/bind_gemm.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {

/// Converts `problem`, as it is run, for `config`.
inline GemmToBind gemm_to_bind(const GemmProblem& problem, const KernelConfig& config) {
  GemmToBind gemm{problem, config, rows_in_memory(problem)};
  if (problem.groups != nullptr) {
    const bool along_m = grouped_along_m(problem);
    (along_m ? gemm.groups.along_m : gemm.groups.along_k) = problem.groups->count();
    gemm.groups.capacity = problem.groups->capacity();
  }
  return gemm;
}

}  // namespace tilecast
