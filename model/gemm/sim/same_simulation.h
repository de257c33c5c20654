// Which configurations are one kernel to the simulator.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// The configuration without what the simulator does not see: equal for configurations that it
/// gives the same answer for. Choices that do nothing on this problem (more buffers than there are
/// K blocks or chunks of C) become the least that do as much, choices left to a default that
/// default, orders of tiles that are one and the same one of their names, and what only decides how
/// many CTAs are resident that number.
KernelConfig as_simulated(const GemmProblem& problem, KernelConfig config, i32 ctas_per_sm);

}  // namespace tilecast
