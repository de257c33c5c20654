// Predicts and ranks GEMMs: combines candidates, analytic models, simulation and clock. Checked by:
// predict_test.cpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/base/error.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/gemm/predict/matching_kernels.h"
#include "model/ops/config_pattern.h"
#include "model/rank/effort.h"
#include "model/rank/why_impossible.h"

namespace tilecast {

struct SimulatedGemm;

/// None of the candidates, or of the listed configurations, is legal.
struct NoLegalKernel : ConfigError {
  using ConfigError::ConfigError;
};

/// Predicts like predict_config; `watch` as in by_simulation (simulated_gemm.h).
Prediction predict_one(const GemmQuestion& question, const KernelConfig& config, Method method,
                       SimulatedGemm* watch = nullptr);
/// Returns the time of each configuration by the analytic model, without copies of operands;
/// infinite if it is not legal. Throws ConfigError for a problem without kernels.
std::vector<Seconds> closed_form_times(const GemmQuestion& question,
                                       std::span<const KernelConfig> configs);

/// Ranks like rank_candidates. With `pattern`, ranks like rank_matching, and its schedule must be
/// the only one. `effort` must name a method.
Ranking rank_all(const GemmQuestion& question, const std::vector<Schedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);
/// Returns the fastest matching candidate by the analytic model. Throws like rank_matching.
Prediction fastest_match(const GemmQuestion& question, const ConfigPattern& pattern,
                         MatchingKernels& kernels);
/// Predicts all legal configurations of a list; the others count as rejected.
Ranking rank_listed(const GemmQuestion& question, const std::vector<KernelConfig>& configs,
                    const Effort& effort);
/// Predicts the fastest match of each configuration, like rank_matching. Sets Ranking::listed, and
/// of the counts only the rejected configurations.
Ranking rank_each(const GemmQuestion& question, std::span<const ConfigPattern> configs,
                  const Effort& effort);

LeastWork least_work(const GpuSpec& gpu, const GemmProblem& problem);

}  // namespace tilecast
