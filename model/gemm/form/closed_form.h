// Closed-form cycles of a GEMM kernel at one SM clock: its loop, its store and its work as form.h
// takes them. A block of the loop is a K block; A and B come through one ring; its one step are the
// tensor operations, which a ring of `inflight` blocks leaves in flight. What a schedule hides is
// its sequence: `warp_specialized` shows the last wgmmas' completion and the epilogue; `persistent`
// also the next tile's first load; `pipelined` also the CTA's own start; `ping_pong` nothing that
// is shorter than a tile. Checked by: closed_form_test.cpp (limits), committed H200 rows
// (validate).
#pragma once

#include "model/form/form.h"
#include "model/gemm/form/gemm_work.h"

namespace tilecast {

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock);

/// Bytes that L2 puts out, sectors that rows touch, concurrent requests for one line once.
Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const GemmWork& work);

}  // namespace tilecast
