// Checks whether a prediction is physically possible before it leaves the model, also in release
// builds:
//
//   time      positive, finite, within its interval, no shorter than the hard bounds at its clock
//   tflops    FLOPs of the problem over the time, at most the tensor-core peak at its clock
//   bytes     DRAM reads at least A, B and the epilogue's inputs once, since inputs are cold
//             (hard_bounds.h), and writes at least C once
//   DRAM      at most its highest measured rate
//   shares    between 0 and 1, like the L2 hit rate
// Operand copies before the kernel (operand_copies.h) count only in the time, as in a prediction.
//
// A violation is a bug in the model, not a user error. Checked by: why_impossible_test.cpp, and
// tests/random with thousands of random problems.
#pragma once

#include <optional>
#include <string>

#include "model/ops/any_op.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Minimum work of any kernel for a problem, from the op's least_work.
struct LeastWork {
  Bytes read, written;  // DRAM traffic
  /// For ops on tensor cores: FLOPs of the problem, and peak FLOPs per cycle of the whole GPU.
  struct Tensor {
    Flops flops;
    FlopsPerCycle peak;
  };
  std::optional<Tensor> tensor = {};
};

/// Lists every violation with its numbers; empty if there are none.
std::string why_impossible(const GpuSpec& gpu, const LeastWork& least, const Prediction& p);

/// Throws Error "internal error: ..." that names the problem, the configuration and the violations.
void require_possible(const GpuSpec& gpu, const AnyProblem& problem, const LeastWork& least,
                      const Prediction& p);

}  // namespace tilecast
