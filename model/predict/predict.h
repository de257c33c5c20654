// Ranks the legal configurations of a problem by predicted time. Joins candidates, closed forms and
// clock: cycles depend on the clock where nanoseconds matter, the clock on the cycles, so the two
// are solved together, as a fixed point. Simulated, the cycles are those of model/sim at the clock
// that they leave (simulated_gemm.h). A calibrated GPU brings what was learned beyond both and an
// interval from held-out rows (learned.h); without one the interval is the GPU file's
// default_interval each way.
// Checked by: predict_test.cpp; committed rows (validate).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// No `method`: default_method of the op. By closed form where it has no processes for the
/// schedule: Prediction::method says which. Throws ConfigError where the GPU cannot run `config`,
/// or not on this problem, with the reason.
Prediction predict_config(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                          Regime regime, Inputs inputs, std::optional<Method> method = {});

/// The ranking that has this configuration alone. Throws as predict_config and require_method.
Ranking rank_one(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                 Regime regime, Inputs inputs, std::optional<Method> method = {});

/// Throws ConfigError where the op has no predictions by `method`: memory-bound ones none by
/// simulation.
void require_method(Op op, std::optional<Method> method);

/// Throws ConfigError where `config` computes another op than `problem` asks for.
void require_same_op(const AnyProblem& problem, const AnyConfig& config);

/// The schedules that are searched where none is named (candidates.h).
std::vector<AnySchedule> menu_schedules(const GpuSpec& gpu, Op op);

/// The `keep` fastest legal candidates of `schedules` (menu_schedules where empty), fastest first;
/// of equally fast ones those that come first in enumerate_candidates. Exactly these by physics
/// alone, though most candidates are never looked at (gemm_form.h). Where something was learned of
/// such kernels (learned.h), it orders of each schedule the `keep`, or 64 at least, that physics
/// has first.
///
/// Where the method simulates, of each schedule the best `simulations` by closed form that give
/// different simulations are run, but for those that others have shown to be too slow to be first;
/// candidates that give the same one share it (simulated_ranking.h). Where no number is given,
/// kernels of different tiles are preferred to several of one. Then all are ranked again. A
/// candidate that could be simulated and was not is never first. Throws as require_method, and
/// ConfigError where no schedule runs on the GPU, one of `schedules` solves another op, or none of
/// the candidates is legal.
Ranking rank_candidates(const GpuSpec& gpu, const AnyProblem& problem,
                        const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
                        std::size_t keep, Effort effort = {});

/// rank_one of a pattern that is whole; else as rank_candidates, of those that match. Where only
/// candidates match that are left out as never paying (candidates.h), of these. Throws as both, and
/// ConfigError that names the part that no candidate has.
Ranking rank_matching(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                      Regime regime, Inputs inputs, std::size_t keep, Effort effort = {});

/// As rank_candidates, of a list of configurations, such as a compiler's: all that are legal, the
/// others counted as rejected. Of a part the fastest by closed form that matches counts. Throws
/// ConfigError where none is legal, and for another op than a GEMM.
Ranking rank_configs(const GpuSpec& gpu, const AnyProblem& problem,
                     const std::vector<ConfigPattern>& configs, Regime regime, Inputs inputs,
                     Effort effort = {});

}  // namespace tilecast
