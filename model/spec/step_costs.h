// Simulated times of the steps of a kernel's roles, grouped by the part of the simulator that runs
// them (model/sim/parts). Independent of the op; kernel_costs.h computes them for a GEMM.
#pragma once

#include "model/base/integers.h"
#include "model/base/sim_time.h"

namespace tilecast {

/// Tensor operations of one loop block, issued by a warpgroup (wgmma) or a thread (tcgen05).
struct MmaCosts {
  SimTime time;        // tensor pipe time: the longest of FLOPs, operand reads and issue
  SimTime issue;       // time of the issuing warpgroup
  SimTime queue;       // time by which the last issue precedes the end: the queue's capacity
  SimTime completion;  // additional latency until a waiter sees the end
  SimTime operands;    // mma.sync: port time of operand reads, which overlap its instructions
  i64 operand_bytes;   // bytes read from shared memory
  SimTime turn;        // other instructions around the operations
  // fp32 promotion in a loop block: the columns of one instruction are waited for and added up
  // before the next ones are issued. Number of such parts (0 without promotion) and time of each.
  i32 promoted_parts;
  SimTime promotion;
};

/// Bulk copies of one loop block.
struct LoadCosts {
  SimTime wake;     // time from the release of a stage until its waiter continues
  SimTime issue;    // time of the issuing thread
  SimTime latency;  // L2 latency
  SimTime first;    // added to an SM's first load
};

/// Stores of results, in chunks of one warpgroup.
struct StoreCosts {
  SimTime setup;        // time from the last tensor operation to the first chunk
  SimTime first_setup;  // added to an SM's first store
  SimTime chunk;        // instructions of a chunk, and of its slot if it has one
  SimTime slot;         // barriers and store issue of a chunk with its own slot
  SimTime pack;         // packing accumulators into 16-bit pairs, if their store is deferred
  SimTime arithmetic;   // epilogue arithmetic on a chunk, with no other work on its SM
  SimTime issue;        // issue of all chunks of a CTA, by one thread
  SimTime staging;      // staging of a chunk, through the shared-memory port
  SimTime latency;      // time from issue until the source is read, without transfer time
  SimTime read;         // transfer time of a chunk, with no other work on its SM
  i64 chunk_bytes;      // taken in by L2 for a chunk: a sector written in part counts twice
  bool by_threads;      // plain stores by the threads, which wait for them
};

/// Costs of tcgen05's tensor memory.
struct TensorMemoryCosts {
  SimTime read, read_shared;  // reads of a chunk: without and with concurrent MMAs in tensor memory
  SimTime answer;             // latency of a request for the next tile (cluster launch control)
  SimTime store_wait;  // time that warps need to tell each other that their stores have been read
};

struct LaunchCosts {
  SimTime kernel;      // start and end of the kernel
  SimTime dispatch;    // interval between CTA starts
  SimTime cta_start;   // time until the CTA's first load
  SimTime cta_refill;  // time from a CTA's end to its successor's first load
};

/// Costs between one tile and the next.
struct TileCosts {
  SimTime next;  // time until a warpgroup starts on the next tile
  SimTime find;  // time to compute the next tile on a Hilbert curve; 0 in other orders
};

}  // namespace tilecast
