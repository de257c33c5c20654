// Programmatic dependent launch on the device side. The kernel may start while the previous kernel
// in the stream still runs, and must allow the next one to start.
//
// Such a kernel does everything that needs no memory (barriers, tensor maps, its first tile's
// coordinates) before it waits for the end of the previous kernel, whose writes are then visible.
// Each kernel waits for its predecessor, so all earlier kernels have ended too. The next kernel
// starts as this one's CTAs end or, during its epilogue, once every CTA has issued its last loads
// or has ended.
//
// Checked by: library/run_test.cpp (chains of runs that each read what the last one wrote).
#pragma once

#include "kernels/gemm/gemm_config.h"
#include "kernels/ptx/dependent_launch.cuh"

namespace tilecast {

/// Called by every thread before it accesses global memory.
template <class Config>
__device__ inline void wait_for_earlier_kernels() {
  if constexpr (Config::kLaunch != LaunchOrder::kInTurn) {
    ptx::wait_for_earlier_grids();
  }
}

/// Called by at least one thread of a CTA. CTAs that never call it signal by ending.
template <class Config>
__device__ inline void let_next_kernel_begin() {
  if constexpr (Config::kLaunch == LaunchOrder::kBesideEpilogue) {
    ptx::launch_dependents();
  }
}

}  // namespace tilecast
