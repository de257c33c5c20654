// What is asked of a prediction, as its op's own types have it.
#pragma once

#include "model/base/regime.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// A problem on a GPU that runs its op.
template <class Problem>
struct OpQuestion {
  const GpuSpec& gpu;
  const Problem& problem;  // as asked: a kernel may run its transpose (swapped_operands.h)
  Regime regime;
  Inputs inputs;
};
}  // namespace tilecast
