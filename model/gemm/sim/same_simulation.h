// Determines which configurations have the same simulation.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Returns the configuration without what the simulator ignores: equal for configurations with the
/// same simulation. Numbers that have no effect on this problem (more buffers than K blocks or
/// chunks of C) become the smallest equivalent ones, explicit defaults become the default,
/// equivalent tile orders become one, and settings that only affect residency become the number of
/// resident CTAs.
KernelConfig as_simulated(const GemmProblem& problem, KernelConfig config, i32 ctas_per_sm);

}  // namespace tilecast
