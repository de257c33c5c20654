// Ranks the legal configurations of a problem by predicted time. Combines candidates, analytic
// models and clock. Cycles depend on the clock through latencies in nanoseconds, and the clock
// depends on the cycles, so both are found as a fixed point. With simulation the cycles come from
// model/sim at the resulting clock (simulated_gemm.h). For a calibrated GPU, learned corrections of
// cycles and clock are applied, and the interval comes from held-out rows (learned.h). Other GPUs
// use the GPU file's default_interval in both directions. Checked by: predict_test.cpp; committed
// rows (validate).
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/prediction.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// `method`: if not set, default_method of the op. If the op cannot simulate the schedule, the
/// analytic model is used; Prediction::method tells which method was used. Throws ConfigError with
/// the reason if the GPU cannot run `config` on this problem.
Prediction predict_config(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                          Regime regime, Inputs inputs, std::optional<Method> method = {});

/// Returns a ranking of this configuration only. Throws the exceptions of predict_config and
/// require_method.
Ranking rank_one(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                 Regime regime, Inputs inputs, std::optional<Method> method = {});

/// Throws ConfigError if the op has no predictions by `method`: memory-bound ops are not simulated.
void require_method(Op op, std::optional<Method> method);

/// Throws ConfigError if `config` computes another op than `problem`.
void require_same_op(const AnyProblem& problem, const AnyConfig& config);

/// Returns the schedules that the default search space contains (candidates.h).
std::vector<AnySchedule> menu_schedules(const GpuSpec& gpu, Op op);

/// Returns the `keep` best legal candidates of `schedules` (menu_schedules if empty), best first by
/// the objective (objective.h); equal ones are in the order of enumerate_candidates. Without
/// learned corrections the result is exact, although most candidates are pruned (gemm_form.h).
/// Learned corrections (learned.h) reorder the max(keep, 64) candidates per schedule that the
/// analytic model ranks first.
///
/// If the method simulates, the `simulations` analytically fastest candidates per schedule that
/// differ in simulation are simulated, except those that earlier simulations show to be too slow to
/// be first. Candidates with the same simulation share it (simulated_ranking.h). If `simulations`
/// is not set, different tiles are preferred to several kernels of one tile. Then all candidates
/// are ranked again. A candidate that could be simulated but was not is never first. Throws like
/// require_method, and ConfigError if no schedule runs on the GPU, one of `schedules` computes
/// another op, or no candidate is legal.
Ranking rank_candidates(const GpuSpec& gpu, const AnyProblem& problem,
                        const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
                        std::size_t keep, const Effort& effort = {});

/// Returns rank_one if the pattern is complete, otherwise rank_candidates over the matching
/// candidates. If only dominated candidates (candidates.h) match, ranks those. Throws the
/// exceptions of both, and a ConfigError that names the first part without a candidate.
Ranking rank_matching(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                      Regime regime, Inputs inputs, std::size_t keep, const Effort& effort = {});

/// Completes partial configurations: each stands for its fastest match by the analytic model.
std::vector<Ranking::Listed> completed(const GpuSpec& gpu, const AnyProblem& problem,
                                       const std::vector<ConfigPattern>& configs, Regime regime,
                                       Inputs inputs, unsigned threads);

/// Returns the analytic time of each configuration, with the op's copies of operands; a partial one
/// has that of its fastest match. Infinite for one that cannot run or that no candidate matches.
/// Throws ConfigError for a configuration of another op.
std::vector<Seconds> analytic_times(const GpuSpec& gpu, const AnyProblem& problem,
                                    const std::vector<ConfigPattern>& configs, Regime regime,
                                    Inputs inputs, unsigned threads);

/// Ranks a list of configurations, such as a compiler's, like rank_candidates: all legal ones; the
/// others count as rejected. Ranking::listed has the completed ones. Throws NoLegalKernel
/// (predict_gemm.h) if none is legal, and ConfigError for ops other than GEMM.
Ranking rank_configs(const GpuSpec& gpu, const AnyProblem& problem,
                     const std::vector<ConfigPattern>& configs, Regime regime, Inputs inputs,
                     const Effort& effort = {});

}  // namespace tilecast
