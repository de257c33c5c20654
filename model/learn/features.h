// What the learned part sees of a kernel: numbers that its op works out (kLearnedFeatures,
// model/spec/learned_model.h).
#pragma once

#include "model/base/regime.h"
#include "model/spec/learned_model.h"
#include "model/spec/limiter.h"

namespace tilecast {

struct KernelFeatures {
  Features values;
  Limiter limiter;  // of the simulation, where there is one
  Regime regime;
  bool never_learned = false;  // of a kind that no row is of: the interval of kernels at large
};

}  // namespace tilecast
