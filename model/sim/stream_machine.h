// The chip as one memory-bound kernel sees it, and what its steps take in simulated time.
//
//   load   inputs of a block: DRAM serves them in the order of asking, L2 puts them out, the SM
//   takes
//          them in; they are there a latency after the last of these
//   store  C of a block: DRAM serves it after what was asked before
// DRAM's rate for a kernel is what model/spec/stream_block.h leaves of it.
//
// Leaves out: hits in L2, rows of DRAM, refresh; slow edges of ragged matrices beyond the bytes
// that they lack; an L2 that keeps what was written beyond the kernel's end. Checked by:
// simulate_stream_test.cpp.
#pragma once

#include <vector>

#include "model/base/tile_span.h"
#include "model/sim/activity.h"
#include "model/sim/engine.h"
#include "model/sim/server.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/stream_config.h"

namespace tilecast {

struct StreamCosts {
  SimTime latency;  // of a block's inputs, DRAM to SM, unloaded
  SimTime turn;     // of a CTA's threads, from landed data to the next loads
  SimTime copies;   // of a thread, for its part of a block's cp.async
  SimTime bulk;     // copy engine, a store issued to its source read, without the bytes
  SimTime refill;   // one CTA ends, its successor's first instruction
  SimTime launch;   // from one CTA's start to the next one's, whole chip
  SimTime ticket;   // from one draw to the next one's, whole chip
  SimTime kernel;   // around all of it
  double dram_read, dram_write;        // picoseconds a byte, as are
  double l2_output, intake, read_out;  // of the chip; of an SM; of a CTA's stores
};

StreamCosts stream_costs(const GpuSpec& gpu, const StreamProblem& problem,
                         const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock);

struct StreamMachine {
  StreamMachine(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config,
                i32 ctas_per_sm, Hertz sm_clock, Activity* activity, std::vector<TileSpan>* tiles);

  StreamConfig config;
  StreamProblem seen;  // by the kernel
  i32 inputs;
  u32 slots;  // CTAs resident at once
  BlockWalk walk;
  StreamCosts costs;
  std::vector<Server> intake;  // of each SM
  Server dram, l2_output, launches, tickets;
  Engine engine;

  u32 drawn = 0;               // tickets
  SimTime last;                // end of a CTA
  i64 loaded = 0, stored = 0;  // blocks
  i64 read = 0, written = 0;   // bytes
  Activity* activity;          // null: not asked for
  std::vector<TileSpan>* tiles;

  /// Of one matrix, inside of it.
  i64 block_bytes(u32 index) const;
  /// Asked now, when the inputs of a block have landed on the SM.
  SimTime load(u32 index, i32 sm);
  /// C of a block is on its way now.
  void store(u32 index);
};

}  // namespace tilecast
