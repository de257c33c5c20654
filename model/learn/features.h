// Features of a kernel for the learned correction. The kernel's op computes them; their names are
// in model/spec/learned_model.h.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/regime.h"
#include "model/spec/learned_model.h"
#include "model/spec/limiter.h"

namespace tilecast {

struct KernelFeatures {
  Features values;
  Limiter limiter;  // bottleneck found by the simulation, if there is one
  Regime regime;
  // Properties that no feature tells, such as its schedule: a kernel with one that was not
  // measured is extrapolated.
  std::vector<std::string_view> kinds = {};
};

}  // namespace tilecast
