// Features of a kernel for the learned correction, computed by its op, whose list of their names is
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
  bool never_learned = false;  // no measured kernel has this kind, so the prior interval applies
};

}  // namespace tilecast
