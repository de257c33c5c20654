// Places CTAs on SMs: a worker is a cluster, whose CTAs are on neighbouring SMs. A persistent grid
// has one worker per slot. With one CTA per tile, CTAs start in order, each in the first slot that
// is free.
//
// Not modelled: the hardware's dispatch rate; unequal GPCs, beyond the number of clusters that fit.
//
// Checked by: simulate_test.cpp, random_kernels_test.cpp.
#pragma once

#include "model/gemm/sim/kernel/gemm_kernel.h"

namespace tilecast {

/// Runs the whole grid; the engine's time is then the grid's end.
void run_grid(GemmKernel& kernel);

}  // namespace tilecast
