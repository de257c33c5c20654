// The time that the CTAs of an SM need for one block of the loop each.
//
// Where a ring of stages runs loads and steps apart, of
//   pipe    time of the CTAs' steps on the tensor cores, or on the vector pipe;
//   turn    the instruction sequence of one warpgroup: its own instructions, those of the loads if
//           no warp is specialised for them, and the steps that it waits for;
//   intake  bytes filled / fill bandwidth of an SM;
//   l2      bytes requested from L2 / its output bandwidth for them (loads.h);
//   ring    (load latency + a stage's intake + hand-over + steps that the next load waits for) /
//           (stages - blocks in flight); of several rings the longest.
// Intake, l2 and ring are added as third powers, and their sum to the longer of pipe and turn as
// eighth powers, so that about equal ones take longer than either.
// Where one thread issues for all (tcgen05), the turn is its own, and a stage is held until its
// MMAs are seen complete. Where every step waits for the one before, one CTA takes their chain
//   one stage   load + turn + step + completion
//   two stages  turn + the longer of load and step + completion
// and CTAs that share an SM hide each other's chains until its pipe, its intake or L2 is busy all
// of the time. Leaves out: CTAs drifting apart; CTAs in each other's way before that; contention
// between fills and operand reads. Checked by: closed_form_test.cpp (limits), committed H200 rows
// (validate).
#pragma once

#include "model/form/loads.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// For one block of each of the CTAs.
struct BlockTime {
  Cycles time;
  Cycles operands_there;  // were all operands loaded before
  Limiter limiter;
};

/// `ctas` CTAs share an SM.
BlockTime block_time(const Loop& loop, const LoadTimes& loads, double ctas);

/// Time of a pipe for the steps of one CTA's block.
Cycles pipe_time(const Loop& loop, Pipe pipe);
/// Time of the operand reads of those steps, if nothing else took longer.
Cycles operand_time(const Loop& loop);

}  // namespace tilecast
