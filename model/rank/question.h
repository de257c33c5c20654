// The input of a prediction: problem, configurations and options, in the types of its op.
#pragma once

#include "model/base/regime.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// A problem on a GPU that supports its op.
template <class Problem>
struct OpQuestion {
  const GpuSpec& gpu;
  const Problem& problem;  // as given by the user; a kernel may run its transpose
                           // (swapped_operands.h)
  Regime regime;
  Inputs inputs;
};
}  // namespace tilecast
