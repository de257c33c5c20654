#include "model/gemm/problem/gemm_problem.h"

#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

ProblemKind ProblemKind::of(const GemmProblem& problem) {
  return {types_of(problem),          problem.layout,           problem.epilogue,
          problem.batch.products > 1, grouped_along_m(problem), grouped_along_k(problem)};
}

i64 matrices_of_b(const GemmProblem& problem) {
  return grouped_along_m(problem) ? problem.groups->count()
         : problem.batch.one_b    ? 1
                                  : problem.batch.products;
}

i64 matrices_of_c(const GemmProblem& problem) {
  return grouped_along_k(problem) ? problem.groups->count() : problem.batch.products;
}

double mean_k(const GemmProblem& problem) {
  const double k = static_cast<double>(problem.shape.k);
  return grouped_along_k(problem) ? k / static_cast<double>(problem.groups->count()) : k;
}

i64 rows_in_memory(const GemmProblem& problem) {
  return grouped_along_m(problem) ? problem.groups->rows_in_memory() : problem.shape.m;
}

double bytes_of_b(const GemmProblem& problem) {
  const i64 read = grouped_along_m(problem) ? problem.groups->not_empty() : matrices_of_b(problem);
  return static_cast<double>(read) * static_cast<double>(problem.shape.n) *
         static_cast<double>(problem.shape.k) * element_bytes(problem.dtype);
}

double bytes_of_c(const GemmProblem& problem) {
  return static_cast<double>(matrices_of_c(problem)) * static_cast<double>(problem.shape.m) *
         static_cast<double>(c_columns(problem)) * element_bytes(c_type(problem));
}

double gemm_bytes(const GemmProblem& problem) {
  return bytes_of_a(problem) + bytes_of_b(problem) + bytes_of_c(problem) + epilogue_bytes(problem);
}

}  // namespace tilecast
