// Determines which operands are copied because they are unaligned. The bulk copy engine needs rows
// and boxes that start on 16-byte boundaries. An operand with other rows is first copied into
// padded rows with zeros after their ends (kernels/gemm/copy_operands.cu). The kernel reads the
// copy with K unchanged, and the engine fills what is out of bounds with zeros. An fp8 operand of
// odd K is copied too, because no kernel was tested on rows that end inside a 16-bit pair.
//
// Kernels see leading dimensions through a_row() and b_row(); launch and model use only these.
// Checked by: operand_copies_test.cpp, kernels/jit/operand_copier_test.cpp (kernel).
#pragma once

#include "model/base/math.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/copied_operands.h"

namespace tilecast {

/// Row alignment that the copy engine needs.
constexpr i64 kWholeRowBytes = 16;

/// Elements between consecutive rows in the caller's memory.
TILECAST_HD constexpr i64 given_row(i64 leading, const MatrixSides& sides) {
  return leading != 0 ? leading : sides.columns;
}

TILECAST_HD constexpr bool is_copied(const GemmProblem& problem, i64 leading,
                                     const MatrixSides& sides) {
  return given_row(leading, sides) * element_bytes(problem.dtype) % kWholeRowBytes != 0 ||
         (is_fp8(problem.dtype) && sides.columns % 2 != 0);
}
TILECAST_HD constexpr CopiedOperands copied_operands(const GemmProblem& problem) {
  return {is_copied(problem, problem.leading.a, sides_of_a(problem)),
          is_copied(problem, problem.leading.b, sides_of_b(problem))};
}

/// Elements between consecutive rows that the kernel reads: those of the operand or of its copy.
TILECAST_HD constexpr i64 read_row(const GemmProblem& problem, i64 leading,
                                   const MatrixSides& sides) {
  return is_copied(problem, leading, sides)
             ? round_up<i64>(sides.columns, kWholeRowBytes / element_bytes(problem.dtype))
             : given_row(leading, sides);
}
TILECAST_HD constexpr i64 a_row(const GemmProblem& problem) {
  return read_row(problem, problem.leading.a, sides_of_a(problem));
}
TILECAST_HD constexpr i64 b_row(const GemmProblem& problem) {
  return read_row(problem, problem.leading.b, sides_of_b(problem));
}

#ifndef __CUDACC_RTC__
/// Number of elements of an operand in the caller's memory, from the first to the last one of all
/// matrices. Includes padding between rows and unused capacity of masked groups.
inline i64 elements_of_a(const GemmProblem& problem) {
  const MatrixSides sides = sides_of_a(problem);
  const i64 rows = a_is_k_major(problem.layout) ? rows_in_memory(problem) : sides.rows;
  return matrices_of_a(problem) * rows * given_row(problem.leading.a, sides);
}
inline i64 elements_of_b(const GemmProblem& problem) {
  const MatrixSides sides = sides_of_b(problem);
  return matrices_of_b(problem) * sides.rows * given_row(problem.leading.b, sides);
}

/// Bytes of the copies; 0 if an operand is not copied. The matrices of an operand are contiguous.
struct CopyBytes {
  i64 a, b;
};
constexpr CopyBytes copy_bytes(const GemmProblem& problem, i64 matrices_of_b) {
  const auto [a, b] = copied_operands(problem);
  const i64 element = element_bytes(problem.dtype);
  return {a ? matrices_of_a(problem) * sides_of_a(problem).rows * a_row(problem) * element : 0,
          b ? matrices_of_b * sides_of_b(problem).rows * b_row(problem) * element : 0};
}
inline CopyBytes copy_bytes(const GemmProblem& problem) {
  return copy_bytes(problem, matrices_of_b(problem));
}
#endif

}  // namespace tilecast
