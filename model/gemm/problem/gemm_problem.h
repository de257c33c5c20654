// The problem a GEMM kernel solves: C[m,n] = epilogue(A[m,k] * B), row-major; A and B of one type,
// sums in fp32 (of fp8, in what tensor cores keep of it: docs/problems.md). Or a batch of such
// products in one launch, all of one shape. Or groups: rows of A and C that each have a B of their
// own, or parts of K that each have a C of their own (group_rows.h). Integers and enums only;
// compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/element_type.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/gemm/problem/epilogue.h"
#include "model/gemm/problem/shared_group_rows.h"

namespace tilecast {

/// The letters of the BLAS call for C^T = op(B) op(A): B's, then A's. K-major operands are A as
/// [m,k] and B as [n,k]; those across K are M-major A as [k,m] and N-major B as [k,n].
enum class Layout : i32 { kTn, kNn, kNt, kTt };

TILECAST_HD constexpr bool a_is_k_major(Layout layout) {
  return layout == Layout::kTn || layout == Layout::kNn;
}
TILECAST_HD constexpr bool b_is_k_major(Layout layout) {
  return layout == Layout::kTn || layout == Layout::kTt;
}

/// How sums of fp8 products are added up along K.
enum class Accumulate : i32 {
  kFast,   // in the tensor cores, which keep fewer bits than fp32
  kExact,  // promoted: those of 128 elements of K leave the tensor cores and are added up in fp32
};

struct GemmShape {
  i64 m, n, k;

  constexpr bool operator==(const GemmShape&) const = default;
};

/// Products of one launch. C has a matrix for each; A and B too, or one that all products share.
/// The matrices of an operand lie one behind the other.
struct Batch {
  i64 products = 1;
  bool one_a = false, one_b = false;

  constexpr bool operator==(const Batch&) const = default;
};

/// Elements from one row of A, of B, of C as they lie in memory to the next; 0: rows are tight.
/// Never what tight rows have, so that equal problems compare equal (leading_text.h).
struct LeadingDimensions {
  i64 a = 0, b = 0, c = 0;

  constexpr bool operator==(const LeadingDimensions&) const = default;
};

struct GemmProblem {
  GemmShape shape;    // of each product; of groups all their rows, or their K
  ElementType dtype;  // of A and B
  Layout layout;
  Epilogue epilogue = {};
  // Of fp8 operands. Of 16-bit ones fp32 and e4m3 count; else C has their type.
  ElementType c = ElementType::kBf16;
  Batch batch = {};                  // the bias is one for all products
  SharedGroupRows groups = nullptr;  // none: one product, or a batch
  LeadingDimensions leading = {};
  // Of fp8 operands. kFast where there are block scales, by which sums are exact anyway, so that
  // equal problems compare equal: promotes() knows.
  Accumulate accumulate = Accumulate::kFast;

  constexpr bool operator==(const GemmProblem&) const = default;
};

/// The numbers that a kernel is compiled for.
struct GemmTypes {
  ElementType operands, c;
  Accumulate accumulate = Accumulate::kFast;

  TILECAST_HD constexpr GemmTypes(ElementType both) : operands(both), c(both) {}
  TILECAST_HD constexpr GemmTypes(ElementType a_and_b, ElementType of_c,
                                  Accumulate sums = Accumulate::kFast)
      : operands(a_and_b), c(of_c), accumulate(sums) {}
  constexpr bool operator==(const GemmTypes&) const = default;
};
TILECAST_HD constexpr GemmTypes types_of(const GemmProblem& problem) {
  return {problem.dtype,
          is_narrow(problem.dtype) || element_bytes(problem.c) != 2 ? problem.c : problem.dtype,
          problem.accumulate};
}
TILECAST_HD constexpr ElementType c_type(const GemmProblem& problem) { return types_of(problem).c; }

/// Whether a problem can have either: of 16-bit operands and block scales nothing is to be chosen.
TILECAST_HD constexpr bool chooses_accumulate(ElementType operands, const Epilogue& epilogue) {
  return is_fp8(operands) && !has_block_scales(epilogue);
}
/// Sums leave the tensor cores K block by K block.
TILECAST_HD constexpr bool promotes(Accumulate accumulate, const Epilogue& epilogue) {
  return accumulate == Accumulate::kExact || has_block_scales(epilogue);
}
TILECAST_HD constexpr bool promotes(const GemmProblem& problem) {
  return promotes(problem.accumulate, problem.epilogue);
}

/// C's, where that has 16 bits, else bf16: of the bias.
TILECAST_HD constexpr ElementType half_type(ElementType c) {
  return c == ElementType::kFp16 ? c : ElementType::kBf16;
}

/// Columns of C.
TILECAST_HD constexpr i64 c_columns(const GemmProblem& problem) {
  return problem.shape.n / (gates(problem.epilogue) ? 2 : 1);
}

/// Bytes that a column of A B leaves in C: 4, 2 or 1. Of a gate two columns leave an element.
TILECAST_HD constexpr i32 c_column_bytes(ElementType c, const Epilogue& epilogue) {
  return element_bytes(c) / (gates(epilogue) ? 2 : 1);
}
TILECAST_HD constexpr i32 c_column_bytes(const GemmProblem& problem) {
  return c_column_bytes(c_type(problem), problem.epilogue);
}

/// Multiply-adds counted as two, as everyone quotes TFLOPS; K in elements.
TILECAST_HD constexpr double gemm_flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

/// Of all products.
TILECAST_HD constexpr double gemm_flops(const GemmProblem& problem) {
  return gemm_flops(problem.shape) * static_cast<double>(problem.batch.products);
}
/// As the rate of the tensor cores counts them, which is that of 16-bit operands: they take bytes.
TILECAST_HD constexpr double tensor_flops(ElementType operands, double flops) {
  return flops * element_bytes(operands) / 2;
}
TILECAST_HD constexpr double tensor_flops(const GemmProblem& problem) {
  return tensor_flops(problem.dtype, gemm_flops(problem));
}

/// Matrices of A.
TILECAST_HD constexpr i64 matrices_of_a(const GemmProblem& problem) {
  return problem.batch.one_a ? 1 : problem.batch.products;
}

/// A matrix of an operand as it lies in memory.
struct MatrixSides {
  i64 rows, columns;
};
TILECAST_HD constexpr MatrixSides sides_of_a(const GemmProblem& problem) {
  const auto& [m, n, k] = problem.shape;
  return a_is_k_major(problem.layout) ? MatrixSides{m, k} : MatrixSides{k, m};
}
TILECAST_HD constexpr MatrixSides sides_of_b(const GemmProblem& problem) {
  const auto& [m, n, k] = problem.shape;
  return b_is_k_major(problem.layout) ? MatrixSides{n, k} : MatrixSides{k, n};
}

/// Bytes of all matrices of A.
TILECAST_HD constexpr double bytes_of_a(const GemmProblem& problem) {
  return static_cast<double>(matrices_of_a(problem)) * static_cast<double>(problem.shape.m) *
         static_cast<double>(problem.shape.k) * element_bytes(problem.dtype);
}

/// Rows of all groups along K at most: a tensor map of parts of a matrix has so many
/// (kernels/jit/tensor_map.h). A function, since a constant would be a symbol of every cubin.
TILECAST_HD consteval i32 most_ragged_rows() { return 1 << 30; }

/// Of one scale, fp32. A function, since a constant would be a symbol of every cubin.
TILECAST_HD consteval i32 scale_bytes() { return 4; }

#ifndef __CUDACC_RTC__
// What groups there are the host alone knows.
/// Matrices of B: groups along M have one each, which lies in memory whether they have rows or not.
i64 matrices_of_b(const GemmProblem& problem);
/// Matrices of C, each the sum over a K of its own: of a batch, or of groups along K.
i64 matrices_of_c(const GemmProblem& problem);
/// K of these in the mean.
double mean_k(const GemmProblem& problem);
/// Rows of A and C in memory, of a batch those of one product.
i64 rows_in_memory(const GemmProblem& problem);

/// Numbers that A is scaled by, and B.
struct ScaleElements {
  i64 a, b;
};
constexpr ScaleElements scale_elements(const GemmProblem& problem) {
  const i64 n = problem.shape.n, k = problem.shape.k;
  const i64 m = problem.groups == nullptr ? problem.shape.m : rows_in_memory(problem);
  const i64 matrices = problem.groups == nullptr ? 1 : matrices_of_b(problem);
  const i64 k_blocks = ceil_div<i64>(k, scale_block());
  if (has_block_scales(problem.epilogue)) {
    return {m * k_blocks, matrices * ceil_div<i64>(n, scale_block()) * k_blocks};
  }
  const StepReads reads = row_of(problem.epilogue.of(OutputKind::kScale)).reads;
  return {reads.row * m + reads.whole / 2, matrices * n * reads.column + reads.whole / 2};
}
/// Of all matrices of C.
double bytes_of_c(const GemmProblem& problem);
/// Bytes of the matrix that the epilogue loads, R, all of it read once.
inline double residual_bytes(const GemmProblem& problem) {
  return problem.epilogue.has(OutputKind::kLoad) ? bytes_of_c(problem) : 0;
}
/// Bytes of an element that a step reads.
TILECAST_HD constexpr i32 read_bytes(const GemmProblem& problem, ReadType type) {
  return type == ReadType::kBias ? element_bytes(half_type(c_type(problem)))
         : type == ReadType::kC  ? element_bytes(c_type(problem))
                                 : scale_bytes();
}
/// Bytes that the epilogue reads: a bias, scales, R.
inline double epilogue_bytes(const GemmProblem& problem) {
  const ScaleElements scales = scale_elements(problem);
  const i64 vectors = bias_elements(problem.epilogue, problem.shape.m, problem.shape.n) *
                          read_bytes(problem, ReadType::kBias) +
                      (scales.a + scales.b) * scale_bytes();
  return static_cast<double>(vectors) + residual_bytes(problem);
}

/// Bytes of the matrices of B that somebody reads.
double bytes_of_b(const GemmProblem& problem);
/// Fewest bytes that solve the problem: A, B and what the epilogue reads once, C written once.
double gemm_bytes(const GemmProblem& problem);
#endif

/// Elements from one row of C to the next.
TILECAST_HD constexpr i64 c_row(const GemmProblem& problem) {
  return problem.leading.c != 0 ? problem.leading.c : c_columns(problem);
}

/// The bulk copy engine stores C only where its rows begin at multiples of 16 bytes and end at
/// such, for it writes whole ones, those behind the end of a row included; else plain stores.
TILECAST_HD constexpr bool c_rows_allow_tma(const GemmProblem& problem) {
  return c_row(problem) * element_bytes(c_type(problem)) % 16 == 0 &&
         c_columns(problem) * element_bytes(c_type(problem)) % 16 == 0;
}

}  // namespace tilecast
