// Computes the analytic cycles of a Triton matmul that matches none of tilecast's schedules:
// operands are loaded through pointers (cp.async), or mma.sync multiplies. Triton uses mma.sync on
// Hopper for tiles with fewer than 64 rows or four warps, and for all tiles on GPUs without wgmma.
//
// One K block of the c CTAs that share an SM takes the smooth maximum (exponent 8) of
//   tensor  wgmma: max(FLOPs / rate, operand bytes / operand rate) for each m64nNk16;
//           mma.sync: FLOPs / mma_rate
//   intake  bytes / (an SM's share of L2's output x l2_share x requests served as one), plus `row`
//           for each line; at least bytes / `intake`. CTAs that are neighbours in launch order load
//           the same columns of B, so L2 serves their requests as one.
//   shared  (bytes filled, plus bytes that each warp rereads for mma.sync) / operand rate
//   copies  `copy` for each warp's load instruction: rows that are not a multiple of 16 bytes need
//           more and narrower ones
//   turn    one CTA's sequence: barriers, and the issue of its loads and MMAs; plus the latency
//           and its intake if nothing is loaded ahead (one stage, or pieces below the 4 bytes of a
//           cp.async)
//   ring    one CTA's (latency + turn) / (stages - 1)
//   vector  the instructions of each warp (`warp_step`, `mma_issue`); conversion of fp8 to fp16 for
//           mma.sync and, with block scales, the promotion of partial sums, which are part of a
//           CTA's `turn`
// intake and ring, which queue for the same memory, first take their own maximum (exponent 3).
// A tile takes its K blocks, the stores of its results, and a start with a first load, which other
// CTAs of the SM mostly hide. The first `stages - 1` K blocks of all CTAs are loaded at the same
// time, so DRAM serves them in a burst, which `fill` adds to the tile. The kernel takes the busiest
// SM's tiles, overlapped with DRAM traffic (exponent 3), where short rows of a K block cost more
// (`dram_row`). Each wave of tiles reads the operands of one rectangle, `group_m` tiles high, of
// each group's B. GEMMs of a batch follow each other.
//
// Not modelled: CTAs of a partial wave that share SMs unevenly; masks (`% M` makes out-of-bounds
// rows load other rows); epilogues. Checked by: triton_form_test.cpp;
// python/tests/test_triton_data.py on the data that the costs were fitted to: Inductor's timings on
// an H100, single tiles on an H200.
#pragma once

#include <map>
#include <string>

#include "model/form/hard_bounds.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// A Triton configuration.
struct TritonKernel {
  i32 block_m, block_n, block_k, stages, warps;
  i32 group_m = 8;
  i32 split_k = 1;
  bool persistent = false;  // one program per SM, which loops over tiles
  bool flatten = false;     // a persistent program loads its next tile's operands ahead
  bool tma = false;         // uses tensor maps for its loads
  // K is a constant of the compiled kernel. The compiler removes a loop of one K block, and with it
  // the ring of stages.
  bool constant_k = false;

  bool operator==(const TritonKernel&) const = default;
};

/// Fitted costs of Triton's code on a GPU. The members have the names that the file of a GPU family
/// uses.
struct TritonCosts {
  double l2_share;         // factor on L2's rate for distinct lines
  Cycles row;              // SM cycles per cache line of a row
  BytesPerCycle intake;    // highest fill rate of an SM
  FlopsPerCycle mma_rate;  // rate of 16-bit mma.sync per SM, at most the GPU's
  Cycles copy;             // SM cycles of a warp's load instruction
  Cycles turn_wgmma;       // CTA cycles per K block, besides its wgmmas
  Cycles two_warpgroups;   // CTA cycles added if more than one warpgroup multiplies
  Cycles turn_mma;         // CTA cycles per K block, besides its mma.sync
  Cycles mma_step;         // warp cycles of each mma.sync
  Cycles copy_step;        // warp cycles of each load instruction
  Cycles latency;          // latency of an L2 hit under load
  Cycles dram_latency;     // latency added for an L2 miss
  Cycles start;            // CTA cycles before its first load
  Cycles accumulator;      // SM cycles to store one accumulator register of a warp
  Cycles promotion;  // SM cycles to scale and add one accumulator register of a warp (block scales)
  Cycles scales;   // CTA cycles of the wait for a K block's wgmmas before promotion (block scales)
  Cycles convert;  // SM cycles to convert a warp's register of fp8 to fp16 for mma.sync
  double hidden;   // fraction of start and first load that other CTAs on the SM hide
  double dram;     // fraction of DRAM's read rate
  double spilled;  // fraction of time added per 128 registers above the limit
  Seconds launch;  // launch, including the warm-up of the first loads
  Cycles warp_step;  // SM cycles to issue one warp's instructions of a K block
  Cycles mma_issue;  // SM cycles to issue one mma.sync
  Cycles tile_step;  // SM cycles to issue one warp's instructions of a tile, besides its K blocks
  double dram_row;   // bytes that DRAM could transfer while it opens another row of a K block
  double registers;  // registers of a thread besides accumulators, fragments and addresses
  double fill;       // fraction of the time in which DRAM serves a tile's first loads

  /// Reads the costs. Throws ConfigError for unknown and missing names, and for values that are not
  /// above zero.
  static TritonCosts of(const std::map<std::string, double>& values);
};

/// Whether Triton multiplies by wgmma: on Hopper, for tiles of at least 64 rows and whole
/// warpgroups.
bool uses_wgmma(const GpuSpec& gpu, const TritonKernel& kernel);

/// Bytes of shared memory that the compiler allocates: for wgmma `stages` buffers of a K block of A
/// and B; for mma.sync one buffer less, because a block is read into registers when it leaves the
/// ring, but at least one. An operand that cannot be loaded asynchronously has one buffer, and so
/// have both if there is no loop over K blocks (`constant_k`).
Bytes triton_shared_memory(const GpuSpec& gpu, const GemmProblem& problem,
                           const TritonKernel& kernel);

/// Computes bounds as in hard_bounds.h. For intake, each tile loads its rows and columns once, at
/// rate `intake`.
HardBounds triton_bounds(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                         const TritonCosts& costs);

/// Clock-independent work of a kernel that fits shared memory, on a GPU with wgmma or mma.sync.
struct TritonWork {
  i32 ctas;             // CTAs resident on an SM, at most its number of tiles
  double tiles_per_sm;  // tiles on the busiest SM
  double k_blocks;      // K blocks per tile
  double spilled;       // registers per thread over the limit, divided by 128
  bool loads_ahead;
  double first_loads;  // fraction of a tile's K blocks that are loaded before its first MMA
  // The next members are per K block of a CTA.
  Bytes a, b;
  double a_rows, b_rows;      // lines that its rows touch
  double a_merged, b_merged;  // requests that L2 serves as one
  double copies;              // load instructions of all warps
  double products;            // mma.sync instructions of a warp
  double converted;           // fp8 registers of all warps to convert for mma.sync; else 0
  double promoted;            // accumulator registers of all warps to promote; else 0
  Cycles tensor;              // tensor-core time; for mma.sync from `mma_rate`
  Bytes operand_reads;        // operand reads by mma.sync
  // The next members are per kernel. Two fp8 FLOPs count as one; FLOPs outside C are counted
  // separately.
  double busy;       // fraction of SMs with a tile
  double missing;    // fraction of loads that miss L2
  double dram_cost;  // factor on the time of DRAM reads, from the lengths of rows
  Bytes added;       // bytes of split K's partial sums
  Flops multiplied, out_of_bounds;
  Bytes shared_memory, l2_output, dram_read, dram_write;
};

TritonWork triton_work(const GpuSpec& gpu, const GemmProblem& problem, const TritonKernel& kernel,
                       const TritonCosts& costs);

Cycles triton_cycles(const GpuSpec& gpu, const TritonKernel& kernel, const TritonCosts& costs,
                     const TritonWork& work, Hertz sm_clock);

}  // namespace tilecast
