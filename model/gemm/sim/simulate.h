// Simulates one GEMM kernel: cycles, bytes at each level, and optionally a timeline.
//
// Time begins with the kernel and ends with its last store. Results depend only on the arguments.
//
// Checked by: simulate_test.cpp (limits against analytic models, conservation of bytes,
// determinism), random_kernels_test.cpp; committed H200 measurements.
#pragma once

#include <vector>

#include "model/base/tile_span.h"
#include "model/gemm/sim/kernel/gemm_kernel.h"
#include "model/sim/chip/activity.h"

namespace tilecast {

struct Simulated {
  Cycles cycles;
  Seconds time;
  Bytes l2_to_sm;   // bytes delivered by L2; a multicast counts once
  Bytes l2_output;  // bytes after merging concurrent requests for a block
  Bytes l2_far;     // part of l2_output from the other partition
  Bytes sm_intake;  // bytes filled; a multicast counts at each SM
  Bytes sums_written,
      sums_read;  // bytes of partial sums; reads are included in l2_to_sm and sm_intake
  Bytes dram_read, dram_write;
  Bytes operand_reads;                        // bytes read from shared memory by tensor cores
  double tensor_share, l2_share, dram_share;  // utilization; tensor is averaged over all SMs
  i64 tiles;                                  // warpgroups' parts of tiles that were stored
  i64 k_blocks;  // K blocks multiplied, per warpgroup; for tcgen05 per CTA
  u64 events;
  u32 waves_left_out;
  Seconds steady_from, left_out_at;  // steady interval, and time of the jump, in simulated time
  Seconds left_out;                  // time of skipped waves and K blocks
  double simulated_part = 1;         // fraction of all K blocks
};

/// Whether the schedule has processes, and the GPU file all sections that they need.
bool can_simulate(const GpuSpec& gpu, const KernelConfig& config);

/// Whether a simulation that skips steady-state parts is affordable in time and memory.
bool is_small_enough(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                     Residency residency);

/// Simulates a kernel. Throws ConfigError for one that cannot be simulated. With
/// Waves::kSteadyLeftOut large kernels are simulated in part (kernel/steady_waves.h, steady_k.h);
/// observers see only that part. `again`: request log of this kernel from a simulation with the
/// same `waves`, to be replayed.
Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers = {},
                        Waves waves = Waves::kAll, const Rerun* again = nullptr);

}  // namespace tilecast
