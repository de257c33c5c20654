// A problem and its configuration, as bind_gemm takes them: the groups in numbers.
#pragma once

#include "kernels/launch/bind_gemm.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {

/// `problem` as it is run, `config` as of it.
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
