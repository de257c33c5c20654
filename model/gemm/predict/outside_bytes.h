// Rows and slabs of tiles that lie out of the bounds of A and B, those rows of A left out that are
// not loaded (smem_layout.h). Bulk copies bring them to the SMs as zeros, and the H200's counters
// say that L2 delivers them like any others. The models of traffic leave them out, since DRAM has
// none of them and other limits hold them (tma.outside_cost, machine.outside); what a prediction
// says of L2-to-SM bytes includes them. Checked by: outside_bytes_test.cpp; counters of the data
// set (validate).
#pragma once

#include "model/base/units.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Of a whole kernel, a multicast counted once. A row that a slab cuts counts what exists of it.
Bytes outside_bytes(const GemmProblem& problem, const KernelConfig& config);
/// The same with a multicast counted at each SM.
Bytes outside_intake(const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
