// Computes the analytic cycles of a kernel at one SM clock, from its loop and its work. Independent
// of the op.
//
// A tile takes its blocks (block.h) plus the exposed part of its prologue and epilogue (ends.h). A
// kernel takes the tiles of the busiest SM between launch, first load and last store, overlapped
// with its DRAM traffic (smooth maximum, exponent 3). The tiles take at least the time of the SM's
// store port, which its CTAs share. If workers share tiles, the busiest worker's blocks and pieces
// replace tiles, and the reduction is added.
//
// Not modelled: CTAs drifting apart; contention between fills and operand reads; the larger share
// of L2 that SMs get in a partial last wave. Checked by: closed_form_test.cpp (GEMM's limits),
// loop_test.cpp (attention's), committed H200 measurements (validate).
#pragma once

#include "model/form/loop.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"

namespace tilecast {

/// Terms of the analytic model.
struct FormParts {
  Cycles ends;           // launch, first load, last store
  Cycles main_loops;     // blocks of the busiest SM
  Cycles dram;           // DRAM traffic only
  Cycles step;           // one block of each resident CTA
  Cycles mma, l2, load;  // per step: tensor pipe and L2 output; load: one stage on an idle machine
  double ctas;           // CTAs resident at the same time on an SM
};

struct ClosedForm {
  Cycles cycles;
  Cycles least;  // cycles if no load and no instruction delayed a tensor operation: launch, first
                 // load, tensor operations and exposed tile ends of the busiest SM, last store
  Limiter limiter;
  Shares shares;
  FormParts parts;
};

ClosedForm form(const GpuSpec& gpu, Hertz sm_clock, const Loop& loop, const Work& work);

}  // namespace tilecast
