// How fast operands arrive: latency, what L2 puts out for each operand, what the copy engine and
// the GPC take for rows out of bounds.
//
// L2 puts out distinct lines; concurrent requests for one line are served as one, up to merge_limit
// of them and no more than there are workers in a wave that want it; all of them where workers
// start together and have one tile or piece each, which keeps them in step. Rows that start off
// their lines touch more of them (row_cost.h). In nanoseconds: L2 has a clock of its own. Leaves
// out: latency that grows with load; DRAM, which bounds the kernel as a whole (closed_form).
// Checked by: closed_form_test.cpp; docs/dev/notebook/constants.md, Rows off their lines.
#pragma once

#include "model/analytic/kernel_at.h"
#include "model/analytic/traffic.h"

namespace tilecast {

struct Loads {
  Cycles latency;                      // of an answer, on average, without the bytes' own time
  BytesPerCycle a_l2_rate, b_l2_rate;  // what L2 puts out for one SM
  double a_existing, b_existing;       // part of a tile's rows of A, columns of B inside of C
  double a_loaded;                     // part of its rows of A that are loaded, zeros included
  Cycles engine;                       // of the copy engine, for a CTA's slices of one K block
  Cycles outside;                      // of a GPC, for the rows out of bounds of an SM's K block
};

/// `in_step`: all workers start together and have one tile.
Loads operand_loads(const KernelAt& kernel, const GemmTraffic& traffic, bool in_step);

/// What L2 puts out for what it delivers: sectors that rows touch, concurrent requests for one line
/// counted once.
Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const Tiling& tiling,
                const GemmTraffic& traffic, bool in_step);

}  // namespace tilecast
