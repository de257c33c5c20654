// Cycles of a matmul in Triton by closed form, where none of our schedules does the same: operands
// by pointer loads (cp.async), or products of mma.sync, which Triton takes on Hopper for fewer than
// 64 rows or less than a warpgroup.
//
// One K block of the c CTAs that share an SM takes about the longest of
//   tensor  wgmma: max(FLOPs / rate, operand bytes / operand rate) for each m64nNk16;
//           mma.sync: FLOPs / mma_rate
//   intake  bytes / (an SM's part of L2's output x l2_share x requests served as one), and `row`
//           for each line; at least bytes / `intake`. Neighbours in launch order ask for the same
//           columns of B, so that their requests are served as one.
//   shared  bytes filled, and for mma.sync read again by each warp, / operand rate
//   copies  `copy` for each warp's load instruction: rows that are no multiple of 16 bytes take
//           more and narrower ones
//   turn    of one CTA in sequence: barriers, its loads' and products' issue; and the latency where
//           nothing is loaded ahead (one stage, or pieces below the 4 bytes of a cp.async)
//   ring    of one CTA: (latency + turn) / (stages - 1)
// added as eighth powers. A tile is its K blocks, the stores of its sums, and a start and a first
// load, which other CTAs of the SM mostly hide. The kernel is the busiest SM's tiles, overlapped
// with DRAM traffic (third powers added), which is that of rectangles of `group_m` rows of tiles, a
// wave each.
//
// Leaves out: CTAs of a partial wave that share SMs unevenly; masks (rows out of bounds load what
// others load, as `% M` makes them); epilogues.
// Checked by: triton_form_test.cpp; python/tests/test_triton_data.py, by what the costs were fitted
// to: an H100's timings by Inductor, an H200's of single tiles.
#pragma once

#include <map>
#include <string>

#include "model/analytic/hard_bounds.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"

namespace tilecast {

/// What a configuration says.
struct TritonKernel {
  i32 block_m, block_n, block_k, stages, warps;
  i32 group_m = 8;
  i32 split_k = 1;
  bool persistent = false;  // a program for each SM, which loops over tiles
  bool flatten = false;     // and loads its next tile's operands ahead
  bool tma = false;         // loads by tensor maps

  bool operator==(const TritonKernel&) const = default;
};

/// What Triton's code takes on the machine, fitted; by these names in a family's file.
struct TritonCosts {
  double l2_share;         // of the rate of L2's distinct lines
  Cycles row;              // of an SM, for a line of a row
  BytesPerCycle intake;    // most of an SM
  FlopsPerCycle mma_rate;  // of an SM, mma.sync of 16 bits
  Cycles copy;             // of an SM, a warp's load instruction
  Cycles turn_wgmma;       // of a CTA, around the wgmmas of a K block
  Cycles two_warpgroups;   // added where more than one takes part
  Cycles turn_mma;         // of a CTA, around the products of mma.sync of a K block
  Cycles mma_step;         // of a warp, for each of its mma.sync
  Cycles copy_step;        // of a warp, for each of its load instructions
  Cycles latency;          // of a load under load, found in L2
  Cycles dram_latency;     // added where it is not
  Cycles start;            // of a CTA
  Cycles accumulator;      // a warp's register of sums, stored
  double hidden;           // part of the start and first load that others on the SM hide
  double dram;             // of the rate of reads alone
  double spilled;          // of the time, added for 128 registers beyond a thread's
  Seconds launch;          // of the kernel, warm-up of its first loads included

  /// Throws ConfigError for a name that is unknown or missing and for what is not above zero.
  static TritonCosts of(const std::map<std::string, double>& values);
};

/// Whether Triton multiplies by wgmma: whole warpgroups, 64 rows or more.
bool uses_wgmma(const TritonKernel& kernel);

/// What the compiler allots: `stages` buffers of a K block of A and B for wgmma, one less for
/// mma.sync, which reads a block into registers as it leaves the ring; at least one. What cannot be
/// loaded asynchronously has one.
Bytes triton_shared_memory(const GemmProblem& problem, const TritonKernel& kernel);

/// As hard_bounds.h has them; its rows and columns of C once, at `intake`.
HardBounds triton_bounds(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                         const TritonCosts& costs);

/// Clock-independent, on a GPU with wgmma, of a kernel that fits shared memory.
struct TritonWork {
  i32 ctas;             // of an SM at the same time, as far as there are tiles
  double tiles_per_sm;  // of the busiest
  double k_blocks;      // of a tile
  double spilled;       // registers of a thread beyond those there are, over 128
  bool loads_ahead;
  Bytes a, b;                                   // of a K block
  double a_rows, b_rows;                        // lines of its rows
  double a_merged, b_merged, copies, products;  // for each K block of a CTA, all warps
  double busy;                                  // SMs with a tile
  Cycles tensor;                                // of a K block; of mma.sync by `mma_rate`
  Bytes operand_reads;                          // of mma.sync, in a K block
  double missing;                               // part of the loads that L2 does not hold
  Bytes added;                                  // partial sums of split K
  // Of the whole kernel; FLOPs of fp8 in pairs, those of tiles out of bounds of C apart.
  Flops multiplied, out_of_bounds;
  Bytes shared_memory, l2_output, dram_read, dram_write;
};

TritonWork triton_work(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                       const TritonCosts& costs);

Cycles triton_cycles(const GpuSpec& gpu, const TritonKernel& kernel, const TritonCosts& costs,
                     const TritonWork& work, Hertz sm_clock);

}  // namespace tilecast
