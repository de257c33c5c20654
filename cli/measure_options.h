// The command line of `measure`, and the points and counters that it selects. Needs no GPU.
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
  std::string gpu, out, counters, regime, inputs, l2, budget, plan, shard, devices, shape;
  std::vector<std::string> suites, points, configs;
  std::optional<AnyProblem> problem;  // the problem that SHAPE describes
  std::optional<i64> seed;
  i64 rounds = 1, window_ms = 0;
  bool regime_given = false, resume = false;
  bool answers = false;  // only SHAPE was given: prints a table and writes no file

  /// Whether SHAPE names the points instead of files.
  bool of_shape() const { return suites.empty() && points.empty() && plan.empty(); }
};

/// Throws ConfigError if SHAPE is not a problem.
MeasureOptions measure_options(const Arguments& args);

/// Returns the points of suites and lists. Several suites use the largest set of counters among
/// them, unless --counters is given. Points of a list keep their regime unless --regime is given.
MeasurePlan points_of_files(const MeasureOptions& options, const GpuSpec& gpu);

/// Returns all points to measure: points of files, of the command line, or of the shard of --plan,
/// whose file becomes `options.out` if that is empty. Throws ConfigError for contradictory options
/// or points that cannot be measured. `predicted`: the top kernels for SHAPE.
MeasurePlan plan_measure(MeasureOptions& options, const GpuSpec& gpu,
                         std::vector<Prediction>& predicted);

}  // namespace tilecast
