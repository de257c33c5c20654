// Random problems: all ops, types, layouts, batches, groups and epilogues, on every GPU that runs
// kernels. Problem `number` of a `seed` does not depend on others, so that a long run can be
// divided and each violation repeated alone.
#pragma once

#include <string>
#include <string_view>

#include "model/predict/predict.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct RandomProblem {
  u64 seed, number;
  const GpuSpec* gpu;
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  Method method;  // kSimulated only if that takes little time

  Ranking rank(std::size_t keep, Effort effort = {}) const;
  Prediction first() const { return rank(1).predictions.front(); }
  /// Returns the same query for another problem.
  RandomProblem with(const AnyProblem& other) const;
  RandomProblem with(const GemmShape& other) const;
  /// Returns null if the problem is not a GEMM.
  const GemmProblem* gemm() const { return std::get_if<GemmProblem>(&problem); }
  /// Whether it is a single GEMM, with neither batch nor groups.
  bool is_plain() const;
  std::string text() const;
};

RandomProblem random_problem(u64 seed, u64 number);

/// Returns a plain fp16 problem on a calibrated GPU, in a burst with normal data.
RandomProblem plain_problem(const GemmShape& shape, std::string_view gpu = "h200_sxm");

}  // namespace tilecast
