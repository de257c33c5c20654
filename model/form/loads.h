// Computes how fast operands arrive: latency, L2 output bandwidth per operand, copy engine time,
// and GPC time for out-of-bounds rows.
//
// L2 delivers distinct lines. Concurrent requests for one line are served as one: up to merge_limit
// of them, and no more than the workers of a wave that need it; all of them if workers run in
// lockstep, because they start together and have one tile or piece each. Unaligned rows touch more
// lines (row_cost.h). Times are in nanoseconds, because L2 has its own clock. Not modelled: latency
// that grows with load; DRAM, which bounds the kernel as a whole (form.h). Checked by:
// closed_form_test.cpp; docs/dev/notebook/constants.md, Rows off their lines.
#pragma once

#include "model/form/loop.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Time of each resource for one block of one CTA.
struct LoadTimes {
  Cycles latency;  // latency of a response, without transfer time
  Cycles intake;   // SM fill port or copy engine, whichever takes longer
  Cycles l2;       // L2 output, at one SM's share of its bandwidth
  Cycles outside;  // GPC time for out-of-bounds rows
  Cycles once;     // fill time before a tile's first block

  /// Time of one stage from the issue of its loads to their arrival, on an idle machine.
  Cycles stage() const { return latency + intake; }
};

LoadTimes load_times(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work);

/// Bytes of L2 output per byte delivered: whole sectors are read; merged requests count once.
double l2_put_out(const GpuSpec& gpu, std::span<const LoopOperand> operands, bool in_step);

}  // namespace tilecast
