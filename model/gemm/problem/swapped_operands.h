// Swapped operands: a kernel computes C^T[n,m] = B[n,k] A[m,k]^T instead of C, so that the rows of
// its wgmmas are columns of C, and few rows of C are columns of a wgmma, of which there may be any
// multiple of eight where rows come 64 at a time. A in rows of K is then what B in rows of K is in
// order, and B as [K,N] what A as [K,M] is: what such a kernel loads, multiplies and walks is an
// ordinary problem, of layout tn or tt, and only its way to C differs
// (kernels/device/epilogue.cuh). So model and launch take the problem as_run() and need no second
// case; whoever asks sees the problem that was asked.
// Checked by: swapped_operands_test.cpp, kernels/jit/gemm_launch_test.cpp (kernels).
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// Of C^T = B^T A^T: whichever operand is in rows of K is the other one then.
TILECAST_HD constexpr Layout transposed(Layout layout) {
  return layout == Layout::kNn ? Layout::kTt : layout == Layout::kTt ? Layout::kNn : layout;
}

/// C^T of it, where that is one product that fuses nothing.
TILECAST_HD constexpr GemmProblem transposed(GemmProblem problem) {
  problem.shape = {problem.shape.n, problem.shape.m, problem.shape.k};
  problem.layout = transposed(problem.layout);
  problem.leading = {problem.leading.b, problem.leading.a, problem.leading.c};
  return problem;
}

/// The problem whose tiles the kernel walks, and its layout.
TILECAST_HD constexpr GemmProblem as_run(const GemmProblem& problem, const KernelConfig& config) {
  return config.operands == OperandOrder::kSwapped ? transposed(problem) : problem;
}
TILECAST_HD constexpr Layout as_run(Layout layout, const KernelConfig& config) {
  return config.operands == OperandOrder::kSwapped ? transposed(layout) : layout;
}

/// Whether a kernel can swap them, of a problem as_run whose rows of C the copy engine can store:
/// A's rows were of K, so that any eight of them are columns of a wgmma; C leaves at the end of
/// each tile.
TILECAST_HD constexpr bool can_swap_operands(const ProblemKind& kind, const KernelConfig& config) {
  return has_ring(config.schedule) && !uses_tcgen05(config.schedule) &&
         config.store == Store::kAtTileEnd && b_is_k_major(kind.layout) && !kind.batched &&
         !kind.grouped && !kind.parts_k && !fuses(kind.epilogue) &&
         element_bytes(kind.types.c) == kHalfBytes;
}

}  // namespace tilecast
