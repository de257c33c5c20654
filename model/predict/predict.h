// Ranks the legal configurations of a problem by predicted time. Joins candidates, closed forms and
// clock: cycles depend on the clock where nanoseconds matter, the clock on the cycles, so the two
// are solved together, as a fixed point. The interval is the GPU file's default_interval each way.
// Leaves out: what a configuration's own residuals say of its interval.
// Checked by: predict_test.cpp; committed rows (validate).
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "model/predict/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Throws ConfigError where the GPU cannot run `config`, or not on this problem, with the reason.
Prediction predict_config(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                          Regime regime, Inputs inputs);

constexpr std::size_t kEveryCandidate = std::numeric_limits<std::size_t>::max();

/// The `keep` fastest legal candidates of `schedules` (all where empty), fastest first; of equally
/// fast ones those that come first in enumerate_candidates. Exactly these, though most candidates
/// are never predicted: a kernel is predicted in its orders of tiles only while the best order that
/// there could be would make it one of them. Throws ConfigError where no schedule runs on the GPU,
/// one of `schedules` solves another op, or none of the candidates is legal.
Ranking rank_candidates(const GpuSpec& gpu, const AnyProblem& problem,
                        const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
                        std::size_t keep);

}  // namespace tilecast
