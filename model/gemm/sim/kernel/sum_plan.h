// Determines which tiles of a GEMM are shared along K by several workers, and how their sums are
// reduced. The lock of a tile's part counts phases: turnstile, one per piece in order of K; atomic,
// one when all other pieces have arrived; spread, one when all pieces have arrived. Checked by:
// model/sim/parts/partial_sums_test.cpp, model/gemm/sim/split_k_test.cpp.
#pragma once

#include "model/gemm/order/work_decomposition.h"
#include "model/sim/parts/partial_sums.h"

namespace tilecast {

SumPlan sum_plan(const KernelConfig& config, const WorkDecomposition& work);

}  // namespace tilecast
