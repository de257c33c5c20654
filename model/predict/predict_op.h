// What predict.h asks of an op: an overload of each function for each op's problem. GEMMs:
// candidates, closed forms, simulation and clock joined. Memory-bound ops the same without a
// simulation: one was farther from the card for every schedule (docs/dev/notebook/2026-11.md).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/gemm/predict/gemm_question.h"
#include "model/predict/predict.h"

namespace tilecast {

struct SimulatedGemm;
using StreamQuestion = OpQuestion<StreamProblem>;

/// As predict_config. `watch`: as by_simulation (simulated_gemm.h).
Prediction predict_one(const GemmQuestion& question, const KernelConfig& config, Method method,
                       SimulatedGemm* watch = nullptr);
/// Time of each configuration by closed form, without copies of operands; infinite where it is not
/// legal. Throws ConfigError for a problem without kernels.
std::vector<Seconds> closed_form_times(const GemmQuestion& question,
                                       std::span<const KernelConfig> configs);
/// Throws ConfigError too where the GPU file has no stream section.
Prediction predict_one(const StreamQuestion& question, const StreamConfig& config, Method method);

/// As rank_candidates, or as rank_matching of a `pattern` whose schedule is the only one; `effort`
/// names a method.
Ranking rank_all(const GemmQuestion& question, const std::vector<Schedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);
/// The legal ones of these, all of them predicted; the others are counted as rejected.
Ranking rank_listed(const GemmQuestion& question, std::vector<KernelConfig> configs,
                    const Effort& effort);
/// Every candidate is predicted. Throws as predict_one.
Ranking rank_all(const StreamQuestion& question, const std::vector<StreamSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern);

/// `ranking.by_tile`, which holds what was looked for apart, becomes the shortlist: with the first
/// of each schedule and tile among the predictions, and none that is estimated to be faster than
/// the first of these. `ranking.counterpart` likewise.
void set_shortlist(const Shortlist& shortlist, Ranking& ranking);

}  // namespace tilecast
