// Simulates one GEMM kernel: cycles, bytes at each level, and on request what each part did when.
//
// Time begins with the kernel and ends with its last store. A result is a function of the
// arguments.
//
// Checked by: simulate_test.cpp (limits against closed forms, bytes conserved, determinism),
// random_kernels_test.cpp; committed H200 rows.
#pragma once

#include <vector>

#include "model/base/tile_span.h"
#include "model/sim/activity.h"
#include "model/sim/machine.h"

namespace tilecast {

struct Simulated {
  Cycles cycles;
  Seconds time;
  Bytes l2_to_sm;                 // delivered by L2, a multicast counted once
  Bytes l2_output;                // the same with concurrent requests for one block merged
  Bytes l2_far;                   // of these, from the other partition
  Bytes sm_intake;                // a multicast counted at each SM
  Bytes sums_written, sums_read;  // partial sums; what is read is part of l2_to_sm and sm_intake
  Bytes dram_read, dram_write;
  Bytes operand_reads;                        // from shared memory by tensor cores
  double tensor_share, l2_share, dram_share;  // of the time, busy; tensor over all SMs
  i64 tiles;                                  // parts of tiles stored, one by each warpgroup
  i64 k_blocks;                               // multiplied, by each warpgroup; of tcgen05, CTA
  u64 events;
  u32 waves_left_out;
  Seconds left_out_at, left_out;  // when in what was simulated, and the time that they add
};

/// What a caller may ask to see besides; null leaves it out, at no cost.
struct Observers {
  Activity* activity = nullptr;
  std::vector<TileSpan>* tiles = nullptr;
};

/// There are processes for the schedule, and the GPU's file has all sections that they need.
bool can_simulate(const GpuSpec& gpu, const KernelConfig& config);

/// Throws ConfigError for a kernel that cannot be simulated. Observers see what was simulated: with
/// Waves::kSteadyLeftOut not all of a large kernel.
Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers = {},
                        Waves waves = Waves::kAll);

}  // namespace tilecast
