// What the model says of one kernel on one GPU. Never mixed with what was measured
// (validate/record/measurement.h); the two meet only in validate/compare.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/analytic/limiter.h"
#include "model/base/units.h"
#include "model/tile/any_op.h"
#include "model/tile/regime.h"

namespace tilecast {

enum class Method { kAnalytic };

std::string_view to_text(Method method);

struct Prediction {
  AnyConfig config;
  Method method;
  Cycles cycles;
  Hertz sm_clock;
  Seconds time, interval_low, interval_high;
  double tflops;  // a copy has none
  Watts power;
  Limiter limiter;
  Shares shares;
  Bytes l2_to_sm, dram_read, dram_write;
  double l2_hit_rate;  // 1 - dram_read / l2_to_sm
};

/// The fastest configurations of one problem, fastest first.
struct Ranking {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  int candidates;                       // legal ones, of which these are the fastest
  std::map<std::string, int> rejected;  // kernels that were not tried, by reason
  std::vector<Prediction> predictions;
};

}  // namespace tilecast
