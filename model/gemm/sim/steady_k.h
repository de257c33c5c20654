// Long K loops: where even one wave of tiles takes too long to simulate, the kernel is simulated at
// two shorter K and goes on as between the two.
//
// A main loop is steady once the ring of stages is full and the CTAs have found their pace, so
// cycles, bytes and busy times grow by the same amount for each K block more: what the longer one
// has more than the shorter one, for each K block between them. Both have the remainder of K behind
// its last whole line and K block, so rows lie as they did. Where waves of tiles follow one another
// both are so long that L2 keeps nothing of a wave for the next one.
//
// Leaves out: where stream-K cuts lie in their tiles. Checked by: steady_k_test.cpp, against whole
// simulations.
#pragma once

#include <optional>

#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/kernel/steady_waves.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// K of two kernels that stand for one.
struct ShorterK {
  i64 shorter, longer;
};

/// None where the kernel is simulated at its own K: where that is short, or no two others would do.
/// `resident`: workers that fit on the chip at once.
std::optional<ShorterK> shorter_k(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, u32 resident);

/// K blocks loaded and multiplied by a simulation of the kernel that leaves out what it can, and
/// the blocks of A and B that it keeps in memory.
struct SimulationSize {
  double steps, blocks;
};
SimulationSize simulation_size(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, u32 resident);

}  // namespace tilecast
