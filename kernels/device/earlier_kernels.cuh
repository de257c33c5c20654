// Programmatic dependent launch, as a kernel sees it: it may start while the kernel before it in
// the stream still runs, and must let the next one start in its turn.
//
// Such a kernel does all that needs no memory (barriers, tensor maps, its first tile's place)
// before it waits for the end of the kernel before, whose writes are then visible. As each waits
// for the one before it, everything earlier has ended, too. The next one begins as its CTAs end, or
// beside its epilogue: once each has its last operands on their way, or has ended.
//
// Checked by: library/run_test.cpp (chains of runs that each read what the last one wrote).
#pragma once

#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/dependent_launch.cuh"

namespace tilecast {

/// By every thread, before it reads or writes global memory.
template <class Config>
__device__ inline void wait_for_earlier_kernels() {
  if constexpr (Config::kLaunch != LaunchOrder::kInTurn) {
    ptx::wait_for_earlier_grids();
  }
}

/// By one thread of a CTA or more. CTAs that never say it say so by ending.
template <class Config>
__device__ inline void let_next_kernel_begin() {
  if constexpr (Config::kLaunch == LaunchOrder::kBesideEpilogue) {
    ptx::launch_dependents();
  }
}

}  // namespace tilecast
