// What the steps of a kernel's roles take in simulated time, each group for the part of the
// simulator that takes the step (model/sim/parts). No op is named here: kernel_costs.h fills them
// for a GEMM.
#pragma once

#include "model/base/integers.h"
#include "model/base/sim_time.h"

namespace tilecast {

/// Tensor operations of one block of a loop, by who issues them: a warpgroup, or a thread.
struct MmaCosts {
  SimTime time;        // of the tensor pipe: the longer of FLOPs and operand reads, and the issue
  SimTime issue;       // of the warpgroup that issues them
  SimTime queue;       // before their end, the last of them is issued: so many fit into the queue
  SimTime completion;  // beyond that, when waited for
  i64 operand_bytes;   // read from shared memory
  SimTime turn;        // own instructions around them
  // Where sums leave the tensor cores block by block: an instruction's columns, waited for, are
  // added up before the next ones are issued. So many parts, 0 without; what each takes.
  i32 promoted_parts;
  SimTime promotion;
};

/// Bulk copies of one block of a loop.
struct LoadCosts {
  SimTime wake;     // from the release of a stage to whoever waits for it
  SimTime issue;    // of the loads
  SimTime latency;  // of L2
  SimTime first;    // added to an SM's first load
};

/// Results to memory, in chunks of one warpgroup.
struct StoreCosts {
  SimTime setup;        // from the last tensor operation to the first chunk
  SimTime first_setup;  // added to an SM's first
  SimTime chunk;        // instructions of a chunk, and of its slot where it has one
  SimTime slot;         // barriers and store issue of a chunk in a slot of its own
  SimTime pack;         // sums to 16-bit pairs in registers, where their store is deferred
  SimTime arithmetic;   // on a chunk, alone on its SM
  SimTime issue;        // of all chunks of a CTA, by one thread
  SimTime staging;      // a chunk through the port of shared memory
  SimTime latency;      // store issued to its source read, without the bytes
  SimTime read;         // bytes of a chunk, SM alone
  i64 chunk_bytes;
  bool by_threads;  // who wait for it
};

/// Of tcgen05.
struct TensorMemoryCosts {
  SimTime read, read_shared;  // a chunk, alone and while MMAs use tensor memory too
  SimTime answer;             // to who asks for another tile
  SimTime store_wait;         // warps tell each other that their stores have been read
};

struct LaunchCosts {
  SimTime kernel;      // start and end of the kernel
  SimTime dispatch;    // one CTA's start to the next one's
  SimTime cta_start;   // to its first load
  SimTime cta_refill;  // one CTA ends, the next one's first load
};

/// From one tile to the next.
struct TileCosts {
  SimTime next;  // a warpgroup goes on
  SimTime find;  // a role does, on a Hilbert curve; 0 in other orders
};

}  // namespace tilecast
