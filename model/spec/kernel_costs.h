// What the steps of a kernel take on one GPU at one SM clock, in simulated time: every constant of
// the GPU file that the processes use, converted once.
// Checked by: kernel_costs_test.cpp.
#pragma once

#include <optional>

#include "model/base/sim_time.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct KernelCosts {
  // Tensor pipe, for one warpgroup's wgmmas of one K block; of tcgen05, a CTA's MMAs. Each takes
  // the longer of its FLOPs and of reading its operands from shared memory, and its issue.
  SimTime mma;
  SimTime mma_issue;   // of the warpgroup that issues them
  SimTime mma_queue;   // before their end, the last of them is issued: so many fit into the queue
  SimTime completion;  // beyond that, when waited for
  i64 operand_bytes;   // read from shared memory
  // Of sums that are promoted: a wgmma's columns of the K block, waited for, are added up before
  // the next ones' wgmmas are issued. So many parts, 0 without; what each takes.
  i32 promoted_parts;
  SimTime promotion;
  SimTime turn;  // a warpgroup's own instructions around them; of tcgen05, one thread's
  SimTime wake;  // from the release of a stage to whoever waits for it

  SimTime issue;       // of the loads of one K block
  SimTime l2_latency;  // of a load
  SimTime first_load;  // added to an SM's first

  // Epilogue of one warpgroup.
  SimTime epilogue;        // last wgmma to the first chunk
  SimTime first_epilogue;  // added to an SM's first
  SimTime chunk;           // instructions of a chunk, and of its slot where it has one
  SimTime slot;            // barriers and store issue of a chunk in a slot of its own
  SimTime pack;            // sums to 16-bit pairs in registers, where their store is deferred
  SimTime fused;           // the epilogue's instructions of a warpgroup's chunk, alone on its SM
  // Of R, in a chunk: bytes, 0 without; through the SM's one path; out of L2; from DRAM.
  i64 residual_bytes;
  SimTime residual_intake, residual_output, residual_dram;
  // Where R comes through the ring of stages: stages of a tile, 0 where threads load it; what a
  // stage takes of each warpgroup beside its chunks; a chunk into shared memory.
  i32 residual_stages;
  SimTime residual_stage, residual_fill;
  SimTime next_tile;      // a warpgroup goes on to its next tile
  SimTime find_tile;      // a role does, on a Hilbert curve; 0 in other orders
  SimTime store_issue;    // of all chunks of a CTA, by one thread
  SimTime staging;        // a chunk through the port of shared memory
  SimTime store_latency;  // store issued to its source read, without the bytes
  SimTime store_read;     // bytes of a chunk, SM alone
  i64 chunk_bytes;
  bool plain_stores;  // C is stored by the threads themselves, which wait for it

  // Of tcgen05: a chunk from tensor memory, alone and while MMAs use it too; an answer to who asks
  // for another tile.
  SimTime tensor_memory, tensor_memory_shared;
  SimTime answer;
  SimTime store_wait;  // warps tell each other that their stores have been read

  SimTime kernel;      // start and end of the kernel
  SimTime dispatch;    // one CTA's start to the next one's
  SimTime cta_start;   // to its first load
  SimTime cta_refill;  // one CTA ends, the next one's first load
};

/// Bulk copies of one CTA's slices of a K block: boxes of a slab each, which lies along K, or along
/// N where B is [k, n] (kernels/device/tile_loads.cuh).
i32 bulk_copies(const Tiling& tiling, Layout layout);

/// `ctas` of the grid; `cold`: no kernel ran just before; `sm_clock` of the SMs that it is for.
KernelCosts kernel_costs(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         i32 ctas, bool cold, Hertz sm_clock);

/// What DRAM reads for CTAs that keep to walks of their own: in closed forms, and R in simulations.
BytesPerSecond dram_read_rate(const GpuSpec& gpu);
/// What it reads of A and B in simulations: boxes of rows that lie apart take requests out of
/// DRAM's order once more. Of an H200's kernels; an H100 loses less (validate/data/h100_sxm).
BytesPerSecond dram_box_rate(const GpuSpec& gpu);

/// Rate at which an SM's threads store C where the copy engine cannot, its rows being no multiples
/// of 16 bytes; none where it can.
std::optional<BytesPerCycle> plain_store_rate(const GpuSpec& gpu, const GemmProblem& problem,
                                              const KernelConfig& config);

}  // namespace tilecast
