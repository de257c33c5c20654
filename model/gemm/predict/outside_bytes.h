// Counts the bytes of out-of-bounds rows and slabs that tiles load, except for rows of A that are
// not loaded (smem_layout.h). Bulk copies fill them with zeros, yet the H200's counters include
// them in L2-to-SM bytes. Traffic models omit them, because they do not reach DRAM and have
// separate costs (tma.outside_cost, machine.outside). The L2-to-SM bytes of a prediction include
// them. Checked by: outside_bytes_test.cpp; counters of the data set (validate).
#pragma once

#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Returns these bytes for a whole kernel, counting a multicast once. Within a row only slabs that
/// are wholly outside the matrix count.
Bytes outside_bytes(const GemmProblem& problem, const KernelConfig& config);
/// Returns these bytes as the SMs receive them: a multicast counts once for each receiving SM.
Bytes outside_intake(const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
