// Shortens long K loops: if even one wave of tiles takes too long to simulate, the kernel is
// simulated at two shorter K and extrapolated linearly.
//
// A main loop is steady once the ring of stages is full and the CTAs have settled. From then on
// cycles, bytes and busy times grow by a constant per K block: the difference between the two
// simulations, divided by the K blocks between them. Both keep K's remainder modulo K block and
// line, so the alignment of rows is the same. If there are several waves of tiles, both K are so
// long that L2 keeps nothing of one wave for the next.
//
// Not modelled: positions of stream-K cuts within tiles. Checked by: steady_k_test.cpp, against
// whole simulations.
#pragma once

#include <optional>

#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/sim/kernel/steady_waves.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Two smaller values of K from which a large one is extrapolated.
struct ShorterK {
  i64 shorter, longer;
};

/// Returns std::nullopt if the kernel is simulated at its full K: it is short, or has no suitable
/// pair. `resident`: workers that fit on the chip at once.
std::optional<ShorterK> shorter_k(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, u32 resident);

/// Cost of a simulation that skips steady K blocks: K blocks loaded and multiplied, and blocks of A
/// and B held in memory.
struct SimulationSize {
  double steps, blocks;
};
SimulationSize simulation_size(const GpuSpec& gpu, const GemmProblem& problem,
                               const KernelConfig& config, u32 resident);

}  // namespace tilecast
