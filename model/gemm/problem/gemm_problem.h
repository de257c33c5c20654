// The problem that a GEMM kernel solves: C[M,N] = epilogue(A[M,K] * B), row-major; A and B of one
// type, accumulation in fp32 (for fp8, with the tensor cores' precision: docs/problems.md). A
// problem is also a batch of equally shaped GEMMs in one launch, or groups: rows of A and C with a
// B per group, or parts of K with a C per group (group_rows.h). Integers and enums only; compiled
// by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/element_type.h"
#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/gemm/problem/epilogue.h"
#include "model/gemm/problem/shared_group_rows.h"

namespace tilecast {

/// Letters of the BLAS call for C^T = op(B) op(A): B's first, then A's. t and n mean, for B:
/// K-major [N,K] and N-major [K,N]; for A: M-major [K,M] and K-major [M,K].
enum class Layout : i32 { kTn, kNn, kNt, kTt };

TILECAST_HD constexpr bool a_is_k_major(Layout layout) {
  return layout == Layout::kTn || layout == Layout::kNn;
}
TILECAST_HD constexpr bool b_is_k_major(Layout layout) {
  return layout == Layout::kTn || layout == Layout::kTt;
}

/// Accumulation of fp8 products along K.
enum class Accumulate : i32 {
  kFast,   // accumulates in the tensor cores, which keep fewer bits than fp32
  kExact,  // fp32 promotion: partial sums over 128 elements of K are added up outside the tensor
           // cores
};

struct GemmShape {
  i64 m, n, k;

  constexpr bool operator==(const GemmShape&) const = default;
};

/// The GEMMs of one launch. Each has a separate C; A and B are separate or shared. The matrices of
/// an operand are contiguous.
struct Batch {
  i64 products = 1;
  bool one_a = false, one_b = false;

  constexpr bool operator==(const Batch&) const = default;
};

/// Elements between consecutive rows of A, B and C in memory; 0 for contiguous rows. Never equal to
/// the contiguous value, so that equal problems compare equal (leading_text.h).
struct LeadingDimensions {
  i64 a = 0, b = 0, c = 0;

  constexpr bool operator==(const LeadingDimensions&) const = default;
};

struct GemmProblem {
  GemmShape shape;    // shape per GEMM; with groups, m (or k) is the sum over groups
  ElementType dtype;  // type of A and B
  Layout layout;
  Epilogue epilogue = {};
  // Type of C if the operands are fp8. If they are 16-bit, only fp32 and e4m3 change C; any other
  // value means the type of A and B.
  ElementType c = ElementType::kBf16;
  Batch batch = {};                  // one bias for all GEMMs
  SharedGroupRows groups = nullptr;  // rows of the groups; null for a single GEMM or a batch
  LeadingDimensions leading = {};
  // Accumulation for fp8 operands. With block scales, which always promote, it is kFast, so that
  // equal problems compare equal; call promotes() instead.
  Accumulate accumulate = Accumulate::kFast;

  constexpr bool operator==(const GemmProblem&) const = default;
};

/// Element types that a kernel is compiled for.
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

/// Whether the problem can choose its accumulation: 16-bit operands and block scales cannot.
TILECAST_HD constexpr bool chooses_accumulate(ElementType operands, const Epilogue& epilogue) {
  return is_fp8(operands) && !has_block_scales(epilogue);
}
/// Whether partial sums leave the tensor cores after every K block.
TILECAST_HD constexpr bool promotes(Accumulate accumulate, const Epilogue& epilogue) {
  return accumulate == Accumulate::kExact || has_block_scales(epilogue);
}
TILECAST_HD constexpr bool promotes(const GemmProblem& problem) {
  return promotes(problem.accumulate, problem.epilogue);
}

/// Type of a bias: C's type if it has 16 bits, else bf16.
TILECAST_HD constexpr ElementType half_type(ElementType c) {
  return c == ElementType::kFp16 ? c : ElementType::kBf16;
}

TILECAST_HD constexpr i64 c_columns(const GemmProblem& problem) {
  return problem.shape.n / (gates(problem.epilogue) ? 2 : 1);
}

/// Bytes of C per column of A B: 4, 2 or 1, or half of that with a gate.
TILECAST_HD constexpr i32 c_column_bytes(ElementType c, const Epilogue& epilogue) {
  return element_bytes(c) / (gates(epilogue) ? 2 : 1);
}
TILECAST_HD constexpr i32 c_column_bytes(const GemmProblem& problem) {
  return c_column_bytes(c_type(problem), problem.epilogue);
}

/// FLOPs of a shape; a multiply-add counts as two; K in elements.
TILECAST_HD constexpr double gemm_flops(const GemmShape& shape) {
  return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) *
         static_cast<double>(shape.k);
}

/// FLOPs over all GEMMs.
TILECAST_HD constexpr double gemm_flops(const GemmProblem& problem) {
  return gemm_flops(problem.shape) * static_cast<double>(problem.batch.products);
}
/// FLOPs in terms of the 16-bit rate of the tensor cores: an fp8 FLOP counts half.
TILECAST_HD constexpr double tensor_flops(ElementType operands, double flops) {
  return flops * element_bytes(operands) / 2;
}
TILECAST_HD constexpr double tensor_flops(const GemmProblem& problem) {
  return tensor_flops(problem.dtype, gemm_flops(problem));
}

TILECAST_HD constexpr i64 matrices_of_a(const GemmProblem& problem) {
  return problem.batch.one_a ? 1 : problem.batch.products;
}

/// Number of rows of an operand's matrix in memory, and their length.
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

/// Maximum rows of all groups along K: the limit of a tensor map over parts of a matrix
/// (kernels/jit/tensor_map.h). It is a function because a constant would add a symbol to every
/// cubin.
TILECAST_HD consteval i32 most_ragged_rows() { return 1 << 30; }

/// Bytes of an fp32 scale. It is a function because a constant would add a symbol to every cubin.
TILECAST_HD consteval i32 scale_bytes() { return 4; }

#ifndef __CUDACC_RTC__
// group sizes are known only on the host
/// Number of matrices of B: one per group along M; an empty group's is also in memory.
i64 matrices_of_b(const GemmProblem& problem);
/// Number of matrices of C: one per GEMM of a batch or per group along K.
i64 matrices_of_c(const GemmProblem& problem);
/// Mean K over the matrices of C.
double mean_k(const GemmProblem& problem);
/// Rows of A and C in memory; per GEMM for a batch.
i64 rows_in_memory(const GemmProblem& problem);

/// Number of scales of A and of B.
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
/// Bytes of C, over all matrices.
double bytes_of_c(const GemmProblem& problem);
/// Bytes of the residual, read once.
inline double residual_bytes(const GemmProblem& problem) {
  return problem.epilogue.has(OutputKind::kLoad) ? bytes_of_c(problem) : 0;
}
/// Bytes per element that a step reads.
TILECAST_HD constexpr i32 read_bytes(const GemmProblem& problem, ReadType type) {
  return type == ReadType::kBias ? element_bytes(half_type(c_type(problem)))
         : type == ReadType::kC  ? element_bytes(c_type(problem))
                                 : scale_bytes();
}
/// Bytes that the epilogue reads: bias, scales, residual.
inline double epilogue_bytes(const GemmProblem& problem) {
  const ScaleElements scales = scale_elements(problem);
  const i64 vectors = bias_elements(problem.epilogue, problem.shape.m, problem.shape.n) *
                          read_bytes(problem, ReadType::kBias) +
                      (scales.a + scales.b) * scale_bytes();
  return static_cast<double>(vectors) + residual_bytes(problem);
}

/// Bytes of the matrices of B that are read: those of non-empty groups.
double bytes_of_b(const GemmProblem& problem);
/// Minimum traffic: A, B and the epilogue's inputs read once, C written once.
double gemm_bytes(const GemmProblem& problem);
#endif

/// Elements between consecutive rows of C.
TILECAST_HD constexpr i64 c_row(const GemmProblem& problem) {
  return problem.leading.c != 0 ? problem.leading.c : c_columns(problem);
}

/// Whether rows of C start and end on 16-byte boundaries. Otherwise threads store C, because the
/// bulk copy engine writes whole 16-byte units even past the end of a row.
TILECAST_HD constexpr bool c_rows_allow_tma(const GemmProblem& problem) {
  return c_row(problem) * element_bytes(c_type(problem)) % 16 == 0 &&
         c_columns(problem) * element_bytes(c_type(problem)) % 16 == 0;
}

}  // namespace tilecast
