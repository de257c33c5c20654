// How fast operands arrive: latency, and what L2 puts out for each operand.
//
// L2 puts out distinct lines; concurrent requests for one line are served as one, up to merge_limit
// of them and no more than there are workers in a wave that want it; all of them where workers
// start together and have one tile or piece each, which keeps them in step. It delivers less where
// rows start off their lines. In nanoseconds: L2 has a clock of its own. Leaves out: latency that
// grows with load; DRAM, which bounds the kernel as a whole (closed_form). Checked by:
// closed_form_test.cpp; configs/README.md, Rows off their lines.
#pragma once

#include "model/analytic/traffic.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct Loads {
  Cycles latency;                      // issue to barrier flip of a small box, on average
  BytesPerCycle a_l2_rate, b_l2_rate;  // what L2 puts out for one SM
  double a_existing, b_existing;       // part of a tile's rows of A, columns of B inside of C
  double a_loaded;                     // part of its rows of A that are loaded, zeros included
};

/// `busy_sms` share what L2 puts out. `in_step`: all workers start together and have one tile.
Loads operand_loads(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                    const GemmTraffic& traffic, double busy_sms, bool in_step, Hertz sm_clock);

/// What L2 puts out of what it delivers, concurrent requests for one line counted once.
Bytes l2_output(const L2Spec& l2, const Tiling& tiling, const GemmTraffic& traffic, bool in_step);

/// Part of the bytes of A and B that lie in rows which do not start on lines of 128 bytes.
double off_line_share(const GemmProblem& problem, const Tiling& tiling);

}  // namespace tilecast
