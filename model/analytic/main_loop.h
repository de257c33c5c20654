// The time that the CTAs of an SM need for one K block each.
//
// Where a ring of stages runs loads and wgmmas apart, of
//   mma     the CTAs' wgmmas, one after the other;
//   turn    what one warpgroup does in sequence: its own instructions, those of the loads where no
//           warp is specialised for them, and its wgmmas where it waits for them at once;
//   intake  bytes filled / what an SM takes in;
//   l2      bytes asked of L2 / what it puts out for them (loads.h);
//   ring    (load latency + a stage's intake + hand-over + wgmmas that the next load waits for) /
//           (stages - K blocks in flight).
// Intake, l2 and ring are added as third powers, and their sum to the longer of mma and turn as
// eighth powers, so that about equal ones take longer than either.
// With tcgen05 the turn is the issuing thread's, and a stage is held until its MMAs are seen
// complete. Where every step waits for the one before, one CTA takes their chain
//   blocked            load + turn + wgmmas + completion
//   blocked_pipelined  turn + the longer of load and wgmmas + completion
// and CTAs that share an SM hide each other's chains until its pipe, its intake or L2 is busy all
// of the time. Leaves out: CTAs drifting apart; CTAs in each other's way before that. Checked by:
// closed_form_test.cpp (limits), committed H200 rows (validate).
#pragma once

#include "model/analytic/k_block.h"
#include "model/analytic/loads.h"
#include "model/spec/limiter.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// For one K block of each of the CTAs.
struct KBlockStep {
  Cycles time;
  Cycles operands_there;  // were all operands loaded before
  Limiter limiter;
};

/// One stage from the issue of its loads to their landing, where nothing else is under way.
Cycles stage_load(const KernelAt& kernel, const KBlock& block, const Loads& loads);

/// What L2 takes to put out one CTA's K block, at one SM's share.
Cycles l2_time(const Tiling& tiling, const KBlock& block, const Loads& loads);

/// Of `ctas` CTAs of an SM.
KBlockStep k_block_step(const KernelAt& kernel, const KBlock& block, const Loads& loads,
                        double ctas);

}  // namespace tilecast
