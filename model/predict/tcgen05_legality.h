// legality.h for the tcgen05 kernels: their own rules, and tensor memory.
#pragma once

#include "model/predict/legality.h"

namespace tilecast {

/// Assumes a Blackwell GPU and a solvable problem.
Refusal check_tcgen05(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
