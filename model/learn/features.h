// Features of a kernel for the learned correction. The kernel's op computes them; their names are
// in model/spec/learned_model.h.
#pragma once

#include "model/base/regime.h"
#include "model/spec/learned_model.h"
#include "model/spec/limiter.h"

namespace tilecast {

struct KernelFeatures {
  Features values;
  Limiter limiter;  // bottleneck found by the simulation, if there is one
  Regime regime;
  // no measured kernel has this kind, so the prior's interval applies
  bool never_learned = false;
};

}  // namespace tilecast
