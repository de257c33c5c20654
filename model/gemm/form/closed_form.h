// Computes the analytic cycles of a GEMM kernel at one SM clock: describes its loop, store and work
// for form.h. A loop block is a K block; A and B share one ring; the one step is the tensor
// operations, of which `inflight` blocks may be in flight. The schedule determines what is exposed:
// `warp_specialized` exposes the last wgmmas' completion and the epilogue; `persistent` also the
// next tile's first load; `pipelined` also the CTA's start; `ping_pong` only what takes longer than
// a tile. Checked by: closed_form_test.cpp (limits), committed H200 measurements (validate).
#pragma once

#include "model/form/form.h"
#include "model/gemm/form/gemm_work.h"

namespace tilecast {

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock);

/// Bytes of L2 output: whole sectors; merged requests count once.
Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const GemmWork& work);

}  // namespace tilecast
