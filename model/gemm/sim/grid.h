// How CTAs come to SMs: a worker is a cluster, and a cluster's CTAs lie on neighbouring SMs. A
// resident grid has one worker for each place; one CTA per tile is handed out in order, the next
// one to the first place that is free.
//
// Leaves out: the hardware's dispatch rate; GPCs of unequal size beyond how many clusters fit.
//
// Checked by: simulate_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Runs the whole grid; the engine's time is its end.
void run_grid(GemmKernel& kernel);

}  // namespace tilecast
