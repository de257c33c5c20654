// How fast operands arrive: latency, L2 output bandwidth for each operand, time of the copy engine,
// and time of the GPC for rows out of bounds.
//
// L2 puts out distinct lines; concurrent requests for one line are served as one, up to merge_limit
// of them and no more than there are workers in a wave that want it; all of them where workers
// start together and have one tile or piece each, which keeps them in step. Rows that start off
// their lines touch more of them (row_cost.h). In nanoseconds: L2 has a clock of its own. Leaves
// out: latency that grows with load; DRAM, which bounds the kernel as a whole (form.h).
// Checked by: closed_form_test.cpp; docs/dev/notebook/constants.md, Rows off their lines.
#pragma once

#include "model/form/loop.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Time of each resource for one block of one CTA.
struct LoadTimes {
  Cycles latency;  // of an answer, without the bytes' own time
  Cycles intake;   // of the SM: its port into shared memory, or the copy engine that asks
  Cycles l2;       // its output, at one SM's share
  Cycles outside;  // of a GPC, for the rows out of bounds
  Cycles once;     // of the intake, before a tile's first block

  /// One stage from the issue of its loads to their landing, where nothing else is under way.
  Cycles stage() const { return latency + intake; }
};

LoadTimes load_times(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work);

/// Bytes that L2 puts out for each byte that it delivers: sectors that rows touch, concurrent
/// requests for one line once.
double l2_put_out(const GpuSpec& gpu, std::span<const LoopOperand> operands, bool in_step);

}  // namespace tilecast
