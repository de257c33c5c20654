// The last check of a prediction before it leaves the model, in release too: whether a GPU could
// have done what it says.
//
//   time      positive, finite, within its interval, no shorter than the hard bounds at its clock
//   tflops    of the problem that was asked, at most the tensor cores' peak at its clock
//   bytes     DRAM reads at least A, B and what the epilogue reads once, since inputs are cold
//             (hard_bounds.h), and writes C once; L2 puts out at least what DRAM reads
//   DRAM      no faster than its highest measured rate
//   shares    between 0 and 1, as the hit rate
// Copies of operands before the kernel (operand_copies.h) count in time alone, as in a prediction.
//
// A violation is our error, never the user's. Checked by: why_impossible_test.cpp, and
// tests/random, which has thousands of random problems pass it.
#pragma once

#include <optional>
#include <string>

#include "model/ops/any_op.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// What no kernel of a problem does with less, as the op works it out (least_work).
struct LeastWork {
  Bytes read, written;  // of DRAM
  /// Of an op on tensor cores: the FLOPs asked for, and those of the whole GPU in a cycle at most.
  struct Tensor {
    Flops flops;
    FlopsPerCycle peak;
  };
  std::optional<Tensor> tensor = {};
};

/// Each violation with its numbers; empty where there is none.
std::string why_impossible(const GpuSpec& gpu, const LeastWork& least, const Prediction& p);

/// Throws Error "internal error: ..." with problem, configuration and violations.
void require_possible(const GpuSpec& gpu, const AnyProblem& problem, const LeastWork& least,
                      const Prediction& p);

}  // namespace tilecast
