// Computes the time that the CTAs of an SM need for one loop block each.
//
// If a ring of stages decouples loads from steps, a smooth maximum of
//   pipe    time of the CTAs' steps on the tensor cores or on the vector pipe;
//   turn    instruction sequence of one warpgroup: its own instructions, those of the loads if no
//           warp is specialized for them, and the steps that it waits for;
//   intake  bytes filled / fill bandwidth of an SM;
//   l2      bytes requested from L2 / its output bandwidth (loads.h);
//   ring    (load latency + a stage's fill + stage reuse latency + steps that the next load waits
//           for) / (stages - blocks in flight); the longest of several rings.
// intake, l2 and ring are combined with exponent 3, and the result with the longer of pipe and turn
// with exponent 8: about equal terms together take longer than each.
//
// If one thread issues for all (tcgen05), turn is that thread's, and a stage is held until its MMAs
// are seen complete. If every step waits for the previous one, a CTA takes the chain
//   one stage   load + turn + step + completion
//   two stages  turn + the longer of load and step + completion
// and CTAs on one SM hide each other's chains until its pipe, its fill bandwidth or L2 is
// saturated. Not modelled: CTAs drifting apart; interference between CTAs below saturation;
// contention between fills and operand reads. Checked by: closed_form_test.cpp (limits), committed
// H200 measurements (validate).
#pragma once

#include "model/form/loads.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// Times of one block of each resident CTA.
struct BlockTime {
  Cycles time;
  Cycles operands_there;  // lower bound if all operands are already loaded
  Limiter limiter;
};

/// `ctas`: resident CTAs per SM.
BlockTime block_time(const Loop& loop, const LoadTimes& loads, double ctas);

/// Time that the steps of one CTA's block occupy the pipe.
Cycles pipe_time(const Loop& loop, Pipe pipe);
/// Time of the operand reads of these steps only.
Cycles operand_time(const Loop& loop);

}  // namespace tilecast
