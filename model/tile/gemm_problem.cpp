#include "model/tile/gemm_problem.h"

#include "model/tile/group_rows.h"

namespace tilecast {

i64 matrices_of_b(const GemmProblem& problem) {
  return problem.groups != nullptr ? static_cast<i64>(problem.groups->rows().size())
         : problem.batch.one_b     ? 1
                                   : problem.batch.products;
}

i64 rows_in_memory(const GemmProblem& problem) {
  return problem.groups != nullptr ? problem.groups->rows_in_memory() : problem.shape.m;
}

double bytes_of_b(const GemmProblem& problem) {
  const i64 read = problem.groups != nullptr ? problem.groups->not_empty() : matrices_of_b(problem);
  return static_cast<double>(read) * static_cast<double>(problem.shape.n) *
         static_cast<double>(problem.shape.k) * element_bytes(problem.dtype);
}

double gemm_bytes(const GemmProblem& problem) {
  return bytes_of_a(problem) + bytes_of_b(problem) + bytes_of_c(problem) + epilogue_bytes(problem);
}

}  // namespace tilecast
