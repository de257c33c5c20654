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
#include "model/gemm/sim/kernel/gemm_kernel.h"
#include "model/sim/chip/activity.h"

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
  Seconds steady_from, left_out_at;  // the steady part, in what was simulated
  Seconds left_out;                  // that waves and K blocks left out add
  double simulated_part = 1;         // of all K blocks
};

/// There are processes for the schedule, and the GPU's file has all sections that they need.
bool can_simulate(const GpuSpec& gpu, const KernelConfig& config);

/// A simulation of the kernel that leaves out what it can takes neither long nor much memory.
bool is_small_enough(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                     Residency residency);

/// Throws ConfigError for a kernel that cannot be simulated. Observers see what was simulated: with
/// Waves::kSteadyLeftOut not all of a large kernel (kernel/steady_waves.h, steady_k.h). `again`:
/// what the requests of this kernel became when it was simulated with the same `waves`, and will
/// again.
Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers = {},
                        Waves waves = Waves::kAll, const Rerun* again = nullptr);

}  // namespace tilecast
