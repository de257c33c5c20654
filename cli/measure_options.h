// What `measure` is asked for on its command line, and the points and counters that come of it.
// Needs no GPU.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/arguments.h"
#include "model/base/integers.h"
#include "model/ops/any_op.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/make_plan.h"

namespace tilecast {

struct MeasureOptions {
  std::string gpu, out, counters, regime, inputs, l2, budget, trace, plan, shard, devices, shape;
  std::vector<std::string> suites, points, configs;
  std::optional<AnyProblem> problem;  // of SHAPE
  std::optional<i64> seed;
  i64 rounds = 1, window_ms = 0;
  bool regime_given = false, resume = false;
  bool answers = false;  // of SHAPE alone: a table, and no file

  /// Whether points are named by SHAPE, not listed in files.
  bool of_shape() const { return suites.empty() && points.empty() && plan.empty(); }
};

/// Of `measure`. Throws ConfigError where SHAPE is no problem.
MeasureOptions measure_options(const Arguments& args);

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
