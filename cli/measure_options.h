// What `measure` is asked for on its command line, and the points and counters that come of it.
// Needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/problem_options.h"
#include "model/base/integers.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/make_plan.h"
#include "validate/record/sustained_load.h"

namespace tilecast {

struct MeasureOptions : ProblemOptions {
  std::string gpu = "h200_sxm", out, counters, regime = "burst", inputs = "normal", l2 = "rotating",
              budget, trace, plan, shard, devices;
  std::vector<std::string> suites, points, configs;
  std::optional<u64> seed;
  i64 rounds = 1;
  i64 window_ms = static_cast<i64>(kSustainedWindow.value * 1e3);
  bool regime_given = false, resume = false;
  bool answers = false;  // of SHAPE alone: a table, and no file

  /// Whether points are named by SHAPE, not listed in files.
  bool of_shape() const { return suites.empty() && points.empty() && plan.empty(); }
};

/// Those of suites and lists. Of several suites the most counters; --counters decides where it is
/// given. Points of a list come in the regime of --regime where it is given, else in their own.
MeasurePlan points_of_files(const MeasureOptions& options, const GpuSpec& gpu);

/// What `measure` is to do: those, the points of the command line, or of --plan its shard's, whose
/// file is `options.out` where that names none. Throws ConfigError for options that do not go
/// together or points that cannot be measured.
/// `predicted`: of what SHAPE names, our kernels.
MeasurePlan plan_measure(MeasureOptions& options, const GpuSpec& gpu,
                         std::vector<Prediction>& predicted);

}  // namespace tilecast
