// Swapped operands: a kernel computes C^T[N,M] = B[N,K] A[M,K]^T instead of C. The rows of its
// wgmmas are then columns of C, and the rows of C are columns of wgmmas. That helps if C has few
// rows: a wgmma has 64 rows, but any multiple of eight columns. A K-major A takes the role of a
// K-major B, and B as [K,N] takes the role of A as [K,M]: the kernel loads, multiplies and
// schedules an ordinary problem of layout tn or tt, and only its stores of C differ
// (kernels/device/epilogue.cuh). So model and launch use the problem from as_run() and need no
// second case; callers keep the original. Checked by: swapped_operands_test.cpp,
// kernels/jit/gemm_launch_test.cpp (kernels).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// Returns the layout of C^T = B^T A^T, in which A is K-major if B was, and B if A was.
TILECAST_HD constexpr Layout transposed(Layout layout) {
  return layout == Layout::kNn ? Layout::kTt : layout == Layout::kTt ? Layout::kNn : layout;
}

/// Returns the transposed problem; `problem` must have neither groups nor an epilogue.
TILECAST_HD constexpr GemmProblem transposed(GemmProblem problem) {
  problem.shape = {problem.shape.n, problem.shape.m, problem.shape.k};
  problem.layout = transposed(problem.layout);
  problem.leading = {problem.leading.b, problem.leading.a, problem.leading.c};
  problem.batch = {problem.batch.products, problem.batch.one_b, problem.batch.one_a};
  return problem;
}

/// Returns the problem whose tiles the kernel computes, in its orientation.
TILECAST_HD constexpr GemmProblem as_run(const GemmProblem& problem, const KernelConfig& config) {
  return config.operands == OperandOrder::kSwapped ? transposed(problem) : problem;
}
TILECAST_HD constexpr Layout as_run(Layout layout, const KernelConfig& config) {
  return config.operands == OperandOrder::kSwapped ? transposed(layout) : layout;
}

/// Whether a kernel supports swapped operands, for a problem from as_run whose rows of C the copy
/// engine can store. A must have been K-major, so that any eight of its rows can be columns of a
/// wgmma, and C must be stored at the end of each tile.
TILECAST_HD constexpr bool can_swap_operands(const ProblemKind& kind, const KernelConfig& config) {
  return has_ring(config.schedule) &&
         traits_of(config.schedule).tensor_core == TensorCore::kWgmma &&
         config.store == Store::kAtTileEnd && b_is_k_major(kind.layout) && !kind.grouped &&
         !kind.parts_k && !fuses(kind.epilogue) && element_bytes(kind.types.c) == kHalfBytes;
}

}  // namespace tilecast
