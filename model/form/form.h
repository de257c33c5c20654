// Closed-form cycles of a kernel at one SM clock, from its loop and its work alone: no op is named.
//
// A tile is its blocks (block.h) plus the exposed part of its prologue and epilogue (ends.h). The
// kernel is the tiles of the busiest SM between launch, first load and last store, overlapped with
// its DRAM traffic (third powers added). Where workers share tiles, the busiest one's blocks and
// pieces take the place of tiles, and partial results come on top.
//
// Leaves out: CTAs drifting apart; contention between fills and operand reads; the larger share of
// L2 that the SMs of a last, partial wave get.
// Checked by: closed_form_test.cpp (GEMM's limits), loop_test.cpp (attention's), committed H200
// rows (validate).
#pragma once

#include "model/form/loop.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// Terms of a closed form.
struct FormParts {
  Cycles ends;           // launch, first load, last store
  Cycles main_loops;     // blocks of the busiest SM
  Cycles dram;           // its traffic alone
  Cycles step;           // one block of each resident CTA
  Cycles mma, l2, load;  // of them: tensor pipe, L2's output; one stage's load, unloaded
  double ctas;           // of an SM at the same time
};

struct ClosedForm {
  Cycles cycles;
  Limiter limiter;
  Shares shares;
  FormParts parts;
};

ClosedForm form(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work);

}  // namespace tilecast
