// Ranks the candidates of an op with the analytic model by predicting all of them, which is cheap.
// Checked by: predict_stream_test.cpp, predict_attention_test.cpp.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/op/menu.h"
#include "model/ops/config_pattern.h"
#include "model/rank/fastest.h"
#include "model/rank/objective.h"
#include "model/rank/question.h"
#include "model/rank/shortlist.h"
#include "model/rank/why_impossible.h"

namespace tilecast {

/// Formats "rejected registers 12, shared_memory 3".
template <class Config>
std::string refusals_text(const CandidatesOf<Config>& candidates) {
  std::string reasons;
  for (const auto& [reason, count] : candidates.rejected) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "rejected " : ", ", reason, count);
  }
  return reasons;
}

/// `predict` returns the prediction of a legal configuration; `correct` changes all predictions.
/// Throws ConfigError with the message of `why_none` if no candidate is legal, and if none matches
/// `pattern`.
template <class Problem, class Config, class Predict, class WhyNone, class Correct>
Ranking rank_every(const OpQuestion<Problem>& question, CandidatesOf<Config> candidates,
                   std::size_t keep, const Effort& effort, const ConfigPattern* pattern,
                   const Predict& predict, const WhyNone& why_none, const Correct& correct) {
  const auto& [gpu, problem, regime, inputs] = question;
  if (candidates.legal.empty()) {
    throw ConfigError(fmt::format("{}: no candidate is legal on {}: {}", to_text(problem), gpu.name,
                                  why_none(candidates)));
  }
  if (pattern != nullptr) {
    std::vector<Config> matching = pattern->matching(candidates.legal);
    if (matching.empty()) {
      throw ConfigError(pattern->why_none(candidates.legal));
    }
    candidates.legal = std::move(matching);
  }
  Ranking ranking{problem,
                  regime,
                  inputs,
                  static_cast<int>(candidates.legal.size()),
                  std::move(candidates.rejected),
                  {}};
  for (const Config& config : candidates.legal) {
    ranking.predictions.push_back(predict(config));
  }
  correct(ranking.predictions);
  std::vector<Seconds> times;
  for (const Prediction& p : ranking.predictions) {
    times.push_back(p.time);
  }
  ranking.objective = effort.objective;
  std::ranges::stable_sort(ranking.predictions, {}, Preference(ranking, ranking.predictions));
  ranking.rejected_example = {candidates.example.begin(), candidates.example.end()};
  ranking.within_1_percent = count_within_1_percent(times);
  set_shortlist(effort.shortlist, ranking);
  ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  for (const Prediction& p : ranking.predictions) {
    require_possible(gpu, problem, least_work(gpu, problem), p);
  }
  return ranking;
}

/// Returns the time of each configuration by `predict`, infinite if it is not legal.
template <class Problem, class Config, class Predict>
std::vector<Seconds> legal_times(const OpQuestion<Problem>& question,
                                 std::span<const Config> configs, const Predict& predict) {
  std::vector<Seconds> times(configs.size(), Seconds{std::numeric_limits<double>::infinity()});
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (check_legal(question.gpu, question.problem, configs[i]) == Refusal::kNone) {
      times[i] = predict(configs[i]).time;
    }
  }
  return times;
}

}  // namespace tilecast
