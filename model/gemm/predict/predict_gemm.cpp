#include "model/gemm/predict/predict_gemm.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/parallel.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/menu/proposals.h"
#include "model/gemm/predict/by_closed_form.h"
#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/predict/matching_kernels.h"
#include "model/gemm/predict/simulated_gemm.h"
#include "model/gemm/problem/problem_text.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/learn/learned.h"
#include "model/rank/fastest.h"
#include "model/rank/objective.h"
#include "model/rank/retime.h"
#include "model/rank/shortlist.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

// Number of kernels per schedule that get an individual learned correction: the fastest by the
// uncorrected analytic model.
constexpr std::size_t kFewestOrdered = 64;
constexpr std::size_t kAtATime = 16;  // kernels per batch of learned corrections

void require_solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  if (const std::string why = why_not_solvable(gpu, problem); !why.empty()) {
    throw ConfigError(fmt::format("{}: {}", shape_text(problem), why));
  }
}

std::string why_none(const GpuSpec& gpu, const GemmProblem& problem,
                     const CandidateKernels& candidates) {
  std::string reasons;
  for (const auto& [reason, count] : candidates.rejected) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "; rejected: " : ", ", count, reason);
  }
  // If a legal kernel has nothing to split, that explains more than the rejections of illegal
  // tiles.
  const auto unsplit = candidates.rejected.find(std::string(kNoSplitPays));
  const auto most = unsplit != candidates.rejected.end()
                        ? unsplit
                        : std::ranges::max_element(candidates.rejected, {}, [](const auto& reason) {
                            return reason.second;
                          });
  const std::string why =
      most == candidates.rejected.end()
          ? ""
          : fmt::format(": {}", why_rejected(gpu, problem, most->first,
                                             candidates.example.at(most->first)));
  return fmt::format("{}: no candidate is legal on {}{}{}", shape_text(problem), gpu.name, why,
                     reasons);
}

}  // namespace

LeastWork least_work(const GpuSpec& gpu, const GemmProblem& problem) {
  const double elements =
      2.0 / element_bytes(problem.dtype);  // fp8 has twice the rate of 16-bit elements
  return {
      .read = Bytes{bytes_of_a(problem) + bytes_of_b(problem) + epilogue_bytes(problem)},
      .written = Bytes{bytes_of_c(problem)},
      .tensor = LeastWork::Tensor{Flops{gemm_flops(problem)},
                                  FlopsPerCycle{gpu.sm.count * tensor_rate(gpu).value * elements}}};
}

Prediction predict_one(const GemmQuestion& asked, const KernelConfig& asked_of, Method method,
                       SimulatedGemm* watch) {
  const GpuSpec& gpu = asked.gpu;
  require_solvable(gpu, asked.problem);
  if (const std::string why = why_not_legal(gpu, asked.problem, asked_of); !why.empty()) {
    throw ConfigError(fmt::format("{} is not legal on {} for {} {}: {}", to_text(asked_of),
                                  gpu.name, types_text(asked.problem),
                                  to_text(asked.problem.layout), why));
  }
  const GemmProblem& problem = asked.problem;
  const KernelConfig config = for_operands(problem.dtype, asked_of);
  const GemmQuestion question{gpu, problem, asked.regime, asked.inputs};
  const GemmProblem run = as_run(problem, config);
  const GemmForm kernel = gemm_form(question, config, gemm_work(gpu, run, config));
  const bool simulated = method == Method::kSimulated && simulates(gpu, run, config);
  const LearnedParts learned =
      learned_parts(gpu, simulated ? Method::kSimulated : Method::kAnalytic);
  Prediction p = by_closed_form(question, {&kernel, 1}, learned.analytic).front();
  if (simulated) {
    p = by_simulation(question, kernel, p, learned, watch);
  }
  p.tflops = tera_per_second(Flops{gemm_flops(problem)}, p.time);
  require_possible(gpu, asked.problem, least_work(gpu, asked.problem), p);
  return p;
}

std::vector<Seconds> closed_form_times(const GemmQuestion& asked,
                                       std::span<const KernelConfig> configs) {
  const GpuSpec& gpu = asked.gpu;
  require_solvable(gpu, asked.problem);
  std::vector<Seconds> times(configs.size(), Seconds{std::numeric_limits<double>::infinity()});
  std::vector<std::size_t> legal;
  std::vector<GemmForm> kernels;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (check_legal(gpu, asked.problem, configs[i]) == Refusal::kNone) {
      const KernelConfig config = for_operands(asked.problem.dtype, configs[i]);
      const GemmProblem run = as_run(asked.problem, config);
      legal.push_back(i);
      kernels.push_back(gemm_form(asked, config, gemm_work(gpu, run, config)));
    }
  }
  const std::vector<Prediction> predictions =
      by_closed_form(asked, kernels, learned_part(gpu, Method::kAnalytic));
  for (std::size_t i = 0; i < legal.size(); ++i) {
    times[legal[i]] = predictions[i].time;
  }
  return times;
}

namespace {

/// Replaces the kernel's estimate by its simulation everywhere in the ranking, and ranks it first
/// if it is the fastest.
void set_simulated(const Prediction& own, Ranking& ranking) {
  const auto is_own = [&](const Prediction& p) { return p.config == own.config; };
  const Preference before(ranking, ranking.predictions);
  if (before(own) < before(ranking.predictions.front())) {
    std::erase_if(ranking.predictions, is_own);
    ranking.predictions.insert(ranking.predictions.begin(), own);
  }
  std::ranges::replace_if(ranking.predictions, is_own, own);
  std::ranges::replace_if(ranking.by_tile, is_own, own);
  std::ranges::stable_sort(ranking.predictions, {}, Preference(ranking, ranking.predictions));
  if (ranking.counterpart && is_own(*ranking.counterpart)) {
    ranking.counterpart = own;
  }
}

/// Returns the estimated kernels that results name besides the fastest, if they could be the
/// fastest: the best with another tile, the best of those that engineers compare, and CUTLASS's
/// counterpart.
std::vector<KernelConfig> contestants(const Ranking& ranking, const ComparedKernels& compared) {
  constexpr double kContest = 1.01;
  constexpr Seconds kContestEnds{0.5e-6};
  std::vector<KernelConfig> named;
  const auto add = [&](const Prediction& p) {
    if (p.method != Method::kSimulated &&
        p.time < ranking.predictions.front().time * kContest + kContestEnds) {
      named.push_back(std::get<KernelConfig>(p.config));
    }
  };
  const auto add_first = [&](const auto& is_wanted) {
    if (const auto row = std::ranges::find_if(ranking.by_tile, is_wanted);
        row != ranking.by_tile.end()) {
      add(*row);
    }
  };
  add_first([&](const Prediction& p) {
    return tile_of(p.config) != tile_of(ranking.by_tile.front().config);
  });
  std::ranges::for_each(compared, add_first);
  if (ranking.counterpart) {
    add(*ranking.counterpart);
  }
  return named;
}

/// Returns the estimated rows of the table.
std::vector<KernelConfig> estimated_rows(const Ranking& ranking, const ComparedKernels& compared,
                                         std::size_t rows) {
  std::vector<KernelConfig> estimated;
  for (const std::size_t row : table_rows(ranking.by_tile, rows, compared)) {
    if (const Prediction& p = ranking.by_tile[row]; p.method != Method::kSimulated) {
      estimated.push_back(std::get<KernelConfig>(p.config));
    }
  }
  return estimated;
}

/// Kernels to simulate within a number of steps.
class StepBudget {
 public:
  StepBudget(const GemmQuestion& question, double steps) : question_(question), steps_(steps) {}

  double steps_of(const KernelConfig& config) const {
    return simulation_steps(question_.gpu, as_run(question_.problem, config), config);
  }
  /// Adds those that fit.
  void take(const std::vector<KernelConfig>& configs, std::vector<KernelConfig>& taken) {
    for (const KernelConfig& config : configs) {
      const double own = steps_of(config);
      if (own <= steps_ && std::ranges::find(taken, config) == taken.end() &&
          simulates(question_.gpu, as_run(question_.problem, config), config)) {
        steps_ -= own;
        taken.push_back(config);
      }
    }
  }
  void take_all_or_none(const std::vector<KernelConfig>& configs,
                        std::vector<KernelConfig>& taken) {
    double all = 0;
    for (const KernelConfig& config : configs) {
      all += steps_of(config);
    }
    if (all <= steps_) {
      take(configs, taken);
    }
  }

 private:
  const GemmQuestion& question_;
  double steps_;
};

/// Simulates the contestants within a total of `steps`, and the rows of the table if they are
/// short, so that `explain` and the ranking give the same figures.
void simulate_named(const GemmQuestion& q, const LearnedParts& learned, const Effort& effort,
                    double steps, KnownSimulations& known, Ranking& ranking) {
  constexpr int kMostRounds = 3;  // for estimates that are faster than their simulations
  // Estimates of an ungrouped 16-bit GEMM have a mean error of 0.6 %, and an error of at most 1.6 %
  // if the rows take longer than kPlainSteps. Others are off by up to 14 % (40 problems).
  constexpr double kPlainSteps = 0.45e6, kSteps = 3e6;
  const GemmProblem& p = q.problem;
  const bool plain = !is_fp8(p.dtype) && p.batch.products == 1 && p.groups == nullptr;
  StepBudget of_contest(q, steps), of_rows(q, plain ? kPlainSteps : kSteps);
  const ComparedKernels compared = compared_kernels(p.dtype);
  for (int round = 0; round < kMostRounds; ++round) {
    std::vector<KernelConfig> named;
    of_contest.take(contestants(ranking, compared), named);
    const std::vector<KernelConfig> rows = estimated_rows(ranking, compared, effort.shortlist.rows);
    plain ? of_rows.take_all_or_none(rows, named) : of_rows.take(rows, named);
    if (named.empty()) {
      return;
    }
    std::vector<Prediction> own(named.size());
    parallel_for(named.size(), effort.threads, [&](std::size_t i) {
      const GemmForm form = gemm_form(q, named[i], gemm_work(q.gpu, as_run(p, named[i]), named[i]));
      own[i] = by_simulation(q, form, by_closed_form(q, {&form, 1}, learned.analytic).front(),
                             learned, nullptr, &known);
    });
    for (const Prediction& one : own) {
      set_simulated(one, ranking);
    }
    set_shortlist(effort.shortlist, ranking);
  }
}

/// The matches of a pattern are often kernels of one tile, of which a ranking of all would simulate
/// one or two. With four, the first match of 24 of 30 patterns is the one found with 64
/// simulations, and it is at most 0.6 % slower; with one or two 1.5 %.
Effort of_pattern(Effort effort) {
  constexpr std::size_t kOfPattern = 4;
  effort.least_simulations = kOfPattern;
  return effort;
}

/// Ranks these candidates.
Ranking rank_kernels(const GemmQuestion& asked, CandidateKernels candidates, std::size_t keep,
                     const Effort& effort, KnownSimulations& known) {
  const auto& [gpu, problem, regime, inputs] = asked;
  if (candidates.legal.kernels.empty()) {
    throw NoLegalKernel(why_none(gpu, problem, candidates));
  }
  const GemmQuestion question{gpu, problem, regime, inputs};
  const bool simulated = effort.method == Method::kSimulated;
  const LearnedParts learned = learned_parts(gpu, effort.method.value());
  const FastestForms fastest =
      fastest_forms(question, candidates.legal,
                    learned.analytic || simulated || effort.objective == Objective::kEnergy
                        ? std::max(keep, kFewestOrdered)
                        : keep,
                    effort.threads, effort.shortlist);
  Ranking ranking{problem,
                  regime,
                  inputs,
                  static_cast<int>(candidates.legal.size()),
                  std::move(candidates.rejected),
                  {}};
  ranking.objective = effort.objective;
  ranking.rejected_example = {candidates.example.begin(), candidates.example.end()};
  ranking.within_1_percent = count_within_1_percent(fastest.times);
  const auto predict = [&](std::span<const GemmForm> forms, std::vector<Prediction>& predictions,
                           std::size_t chunk) {
    const std::size_t begin = chunk * kAtATime;
    std::ranges::copy(
        by_closed_form(question, forms.subspan(begin, std::min(kAtATime, forms.size() - begin)),
                       learned.analytic),
        &predictions[begin]);
  };
  ranking.predictions.resize(fastest.forms.size());
  ranking.by_tile.resize(fastest.apart.size());
  const std::size_t chunks = ceil_div(fastest.forms.size(), kAtATime);
  parallel_for(chunks + ceil_div(fastest.apart.size(), kAtATime), effort.threads,
               [&](std::size_t chunk) {
                 chunk < chunks ? predict(fastest.forms, ranking.predictions, chunk)
                                : predict(fastest.apart, ranking.by_tile, chunk - chunks);
               });
  std::ranges::stable_sort(ranking.predictions, {}, &Prediction::time);
  double steps = most_steps(effort);
  if (simulated) {
    steps -= simulate_best(question, learned, effort, keep, known, ranking);
  } else {
    std::ranges::stable_sort(ranking.predictions, {}, Preference(ranking, ranking.predictions));
  }
  set_shortlist(effort.shortlist, ranking);
  if (simulated) {
    simulate_named(question, learned, effort, steps, known, ranking);
  }
  ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  ranking.for_each_prediction([&](Prediction& p) {
    p.tflops = tera_per_second(Flops{gemm_flops(problem)}, p.time);
    require_possible(gpu, problem, least_work(gpu, problem), p);
  });
  return ranking;
}

}  // namespace

Ranking rank_all(const GemmQuestion& asked, const std::vector<Schedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern) {
  const auto& [gpu, problem, regime, inputs] = asked;
  require_solvable(gpu, problem);
  KnownSimulations known;
  if (pattern == nullptr) {
    return rank_kernels(
        asked, enumerate_kernels(gpu, problem, schedules, effort.whole_menu, effort.threads), keep,
        effort, known);
  }
  return rank_kernels(asked, MatchingKernels(gpu, problem, effort.threads).of(*pattern), keep,
                      of_pattern(effort), known);
}

Prediction fastest_match(const GemmQuestion& asked, const ConfigPattern& pattern,
                         MatchingKernels& kernels) {
  require_solvable(asked.gpu, asked.problem);
  const CandidateKernels matching = kernels.of(pattern);
  if (matching.legal.kernels.empty()) {
    throw NoLegalKernel(why_none(asked.gpu, asked.problem, matching));
  }
  const std::optional<LearnedPart> learned = learned_part(asked.gpu, Method::kAnalytic);
  const std::vector<Prediction> predictions = by_closed_form(
      asked, fastest_forms(asked, matching.legal, learned ? kFewestOrdered : 1, 1).forms, learned);
  return *std::ranges::min_element(predictions, {}, &Prediction::time);
}

namespace {

/// Removes the illegal configurations.
CandidateKernels legal_of(const GpuSpec& gpu, const GemmProblem& problem,
                          std::vector<KernelConfig> configs) {
  CandidateKernels candidates;
  std::erase_if(configs, [&](const KernelConfig& config) {
    const Refusal refusal = check_legal(gpu, problem, config);
    if (refusal != Refusal::kNone) {
      candidates.reject(to_text(refusal), config);
    }
    return refusal != Refusal::kNone;
  });
  std::ranges::stable_sort(configs, {}, &KernelConfig::schedule);
  for (KernelConfig& config : configs) {
    config = for_operands(problem.dtype, config);
  }
  candidates.legal = kernels_of(configs);
  return candidates;
}

}  // namespace

Ranking rank_listed(const GemmQuestion& asked, const std::vector<KernelConfig>& configs,
                    const Effort& effort) {
  require_solvable(asked.gpu, asked.problem);
  KnownSimulations known;
  return rank_kernels(asked, legal_of(asked.gpu, asked.problem, configs),
                      std::max<std::size_t>(configs.size(), 1), effort, known);
}

Ranking rank_each(const GemmQuestion& asked, std::span<const ConfigPattern> configs,
                  const Effort& effort) {
  const auto& [gpu, problem, regime, inputs] = asked;
  require_solvable(gpu, problem);
  Effort own_effort = of_pattern(effort);
  own_effort.shortlist = {};
  MatchingKernels kernels(gpu, problem, effort.threads);
  KnownSimulations known;
  Ranking all{problem, regime, inputs, 0, {}, {}};
  all.objective = effort.objective;
  Rejections<KernelConfig> illegal;
  for (const ConfigPattern& config : configs) {
    if (std::string why = why_other_op(Op::kGemm, config.schedules()); !why.empty()) {
      all.listed.push_back({{}, std::move(why)});
      continue;
    }
    try {
      Ranking::Listed listed{config.whole(), {}};
      CandidateKernels candidates =
          config.whole() ? legal_of(gpu, problem, {std::get<KernelConfig>(*config.whole())})
                         : kernels.of(config);
      if (config.whole() && candidates.legal.kernels.empty()) {
        illegal.add_all(candidates);
      } else {
        const Ranking own = rank_kernels(asked, std::move(candidates), 1, own_effort, known);
        const Prediction& best = own.predictions.front();
        listed.config = best.config;
        if (std::ranges::find(all.predictions, best.config, &Prediction::config) ==
            all.predictions.end()) {
          all.predictions.push_back(best);
        }
      }
      all.listed.push_back(std::move(listed));
    } catch (const ConfigError& error) {  // the others are still ranked
      all.listed.push_back({{}, error.what()});
    }
  }
  if (all.predictions.empty()) {
    const auto why = std::ranges::find_if(all.listed, [](const auto& one) { return !one.config; });
    throw NoLegalKernel(why != all.listed.end() ? why->why_none
                                                : why_none(gpu, problem, {std::move(illegal), {}}));
  }
  std::ranges::stable_sort(all.predictions, {}, Preference(all, all.predictions));
  all.rejected = std::move(illegal.rejected);
  all.rejected_example = {illegal.example.begin(), illegal.example.end()};
  return all;
}

}  // namespace tilecast
