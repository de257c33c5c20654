// Describes the GPU for a kernel some of whose operands earlier kernels left in L2. Collections of
// library times replay a CUDA graph of the same GEMM with one A and several copies of B in turn,
// and write C to the same memory. So A and C were last used one kernel ago, and B as many kernels
// ago as there are copies:
//
// held = kept(A + B + C) (A + C) + kept(A + copies B + C) B
//
// with `kept` of panel_reuse.h. DRAM serves the other bytes: its rates are increased, and its
// latency and energy per byte decreased, by the same factor. L2's rate and latency are kept.
//
// Not modelled: which parts of an operand L2 holds. Checked by: rotated_weights_test.cpp.
#pragma once

#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Fraction of A, B and C that L2 no longer holds when a kernel of the sequence needs them.
double missing_from_l2(const L2Spec& l2, const GemmProblem& problem, i32 copies_of_b);

GpuSpec with_rotated_weights(GpuSpec gpu, const GemmProblem& problem, i32 copies_of_b);

}  // namespace tilecast
