// Determines which tiles of a GEMM several workers share along K, and how their sums are reduced.
//   lock of a part of a tile  one phase per piece in order of K (turnstile), or one when all others
//                             (atomic) or all (spread) have arrived
// Checked by: model/sim/parts/partial_sums_test.cpp, model/gemm/sim/split_k_test.cpp.
#pragma once

#include "model/gemm/order/work_decomposition.h"
#include "model/sim/parts/partial_sums.h"

namespace tilecast {

SumPlan sum_plan(const KernelConfig& config, const WorkDecomposition& work);

}  // namespace tilecast
