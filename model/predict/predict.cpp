#include "model/predict/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/words.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/predict/predict_op.h"
#include "model/predict/price_of_copies.h"
#include "model/rank/fastest.h"
#include "model/rank/shortlist.h"
#include "model/stream/stream_menu.h"

namespace tilecast {
namespace {

constexpr Words<Method, 2> kMethods{
    {{Method::kAnalytic, "analytic"}, {Method::kSimulated, "simulated"}}};

void require_own_schedules(const AnyProblem& problem, const std::vector<AnySchedule>& schedules) {
  if (const std::string why = why_other_op(op_of(problem), schedules); !why.empty()) {
    throw ConfigError(why);
  }
}

/// Converts the schedules to the op's schedule type. Throws ConfigError for a schedule of another
/// op.
template <class Own>
std::vector<Own> own_schedules(const AnyProblem& problem,
                               const std::vector<AnySchedule>& schedules) {
  require_own_schedules(problem, schedules);
  std::vector<Own> own;
  for (const AnySchedule& schedule : schedules) {
    own.push_back(std::get<Own>(schedule));
  }
  return own;
}

Ranking with_copies(const GpuSpec& gpu, Ranking ranking) {
  ranking.copies = operand_copies(gpu, ranking.problem, ranking.regime, ranking.inputs);
  ranking.for_each_prediction([&](Prediction& p) { add_copies(ranking.copies, p); });
  return ranking;
}

/// Returns the effort, with the op's default method if none was given.
Effort with_method(Effort effort, Method usual) {
  effort.method = effort.method.value_or(usual);
  return effort;
}

Ranking rank(const GpuSpec& gpu, const AnyProblem& problem,
             const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
             std::size_t keep, const Effort& given, const ConfigPattern* pattern) {
  require_method(op_of(problem), given.method);
  const Effort effort = with_method(given, default_method(op_of(problem)));
  return with_copies(gpu, std::visit(
                              [&]<class Problem>(const Problem& own) {
                                return rank_all(
                                    OpQuestion<Problem>{gpu, own, regime, inputs},
                                    own_schedules<ScheduleOf<Problem>>(problem, schedules), keep,
                                    effort, pattern);
                              },
                              problem));
}

}  // namespace

std::string_view to_text(Method method) { return word_of(kMethods, method); }
Method parse_method(std::string_view text) { return value_of(kMethods, "method", text); }

void require_method(Op op, std::optional<Method> method) {
  if (!traits_of(op).processes && method == Method::kSimulated) {
    throw ConfigError(
        fmt::format("method simulated applies only to gemm and attention: {} is predicted only by "
                    "method analytic",
                    to_text(op)));
  }
}

void require_same_op(const AnyProblem& problem, const AnyConfig& config) {
  if (const AnySchedule schedule = schedule_of(config); op_of(schedule) != op_of(problem)) {
    throw ConfigError(fmt::format("configuration '{}' computes {}, not {}", to_text(config),
                                  to_text(op_of(schedule)), to_text(op_of(problem))));
  }
}

Prediction predict_config(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                          Regime regime, Inputs inputs, std::optional<Method> asked) {
  require_same_op(problem, config);
  const Method method = asked.value_or(default_method(op_of(problem)));
  Prediction p =
      visit_op(problem, config, [&]<class Problem>(const Problem& own, const auto& kernel) {
        return predict_one(OpQuestion<Problem>{gpu, own, regime, inputs}, kernel, method);
      });
  add_copies(operand_copies(gpu, problem, regime, inputs), p);
  return p;
}

std::vector<AnySchedule> menu_schedules(const GpuSpec& gpu, Op op) {
  std::vector<AnySchedule> menu = every_schedule();
  std::erase_if(menu, [&](const AnySchedule& schedule) {
    return op_of(schedule) != op ||
           !std::visit([&](auto own) { return is_on_menu(gpu, own); }, schedule);
  });
  return menu;
}

Ranking rank_one(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                 Regime regime, Inputs inputs, std::optional<Method> method) {
  require_method(op_of(problem), method);
  const Prediction p = predict_config(gpu, problem, config, regime, inputs, method);
  Ranking ranking{problem, regime, inputs, 1, {}, {p}, p.method == Method::kSimulated ? 1 : 0};
  ranking.within_1_percent = 1;
  ranking.by_tile = {p};
  ranking.copies = operand_copies(gpu, problem, regime, inputs);
  return ranking;
}

Ranking rank_candidates(const GpuSpec& gpu, const AnyProblem& problem,
                        const std::vector<AnySchedule>& schedules, Regime regime, Inputs inputs,
                        std::size_t keep, const Effort& effort) {
  return rank(gpu, problem, schedules, regime, inputs, keep, effort, nullptr);
}

Ranking rank_matching(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                      Regime regime, Inputs inputs, std::size_t keep, const Effort& effort) {
  if (!config.whole()) {
    return rank(gpu, problem, config.schedules(), regime, inputs, keep, effort, &config);
  }
  Ranking one = rank_one(gpu, problem, *config.whole(), regime, inputs, effort.method);
  one.objective = effort.objective;
  return one;
}

namespace {

/// Gives each partial configuration the first of these predictions that it matches, best first.
void share_matches(const std::vector<ConfigPattern>& configs, const std::vector<Prediction>& sorted,
                   std::vector<Ranking::Listed>& listed) {
  std::vector<ConfigTexts> texts;
  std::vector<AnySchedule> schedules;
  for (const Prediction& p : sorted) {
    texts.push_back(ConfigTexts::of(p.config));
    schedules.push_back(schedule_of(p.config));
  }
  for (std::size_t i = 0; i < configs.size(); ++i) {
    if (configs[i].whole() || !listed[i].config) {
      continue;
    }
    const std::vector<AnySchedule> own = configs[i].schedules();
    for (std::size_t j = 0; j < sorted.size() && sorted[j].config != *listed[i].config; ++j) {
      if ((own.empty() || own.front() == schedules[j]) && configs[i].matches(texts[j])) {
        listed[i].config = sorted[j].config;
        break;
      }
    }
  }
}

}  // namespace

std::vector<Ranking::Listed> completed(const GpuSpec& gpu, const AnyProblem& problem,
                                       const std::vector<ConfigPattern>& configs, Regime regime,
                                       Inputs inputs, unsigned threads) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  std::optional<MatchingKernels> kernels;  // of a GEMM
  std::vector<Prediction> found;
  const auto complete = [&](const ConfigPattern& config) -> AnyConfig {
    if (config.whole()) {
      require_same_op(problem, *config.whole());
      return gemm == nullptr ? *config.whole()
                             : for_operands(gemm->dtype, std::get<KernelConfig>(*config.whole()));
    }
    if (gemm == nullptr) {
      return rank_matching(gpu, problem, config, regime, inputs, 1,
                           {.method = Method::kAnalytic, .threads = threads})
          .predictions.front()
          .config;
    }
    require_own_schedules(problem, config.schedules());
    if (!kernels) {
      kernels.emplace(gpu, *gemm, threads);
    }
    found.push_back(fastest_match({gpu, *gemm, regime, inputs}, config, *kernels));
    return found.back().config;
  };
  std::vector<Ranking::Listed> listed;
  for (const ConfigPattern& config : configs) {
    try {
      listed.push_back({complete(config), {}});
    } catch (const ConfigError& error) {  // the others are still completed
      listed.push_back({{}, error.what()});
    }
  }
  std::ranges::stable_sort(found, {}, &Prediction::time);
  share_matches(configs, found, listed);
  return listed;
}

namespace {

/// Sets what rank_each does not set.
void sum_up(const Effort& effort, Ranking& ranking) {
  std::vector<Seconds> times;
  double logs = 0;
  for (const Prediction& p : ranking.predictions) {
    times.push_back(p.closed_form_time);
    if (p.method == Method::kSimulated) {
      ++ranking.simulated;
      logs += std::log(p.time / p.closed_form_time);
      if (!ranking.next_simulated && p.time > ranking.predictions.front().time &&
          ranking.predictions.front().method == Method::kSimulated) {
        ranking.next_simulated = p;
      }
    }
  }
  ranking.candidates = static_cast<int>(times.size());
  ranking.closed_form_scale = std::exp(logs / std::max(ranking.simulated, 1));
  ranking.within_1_percent = count_within_1_percent(times);
  set_shortlist(effort.shortlist, ranking);
}

Ranking rank_completed(const GemmQuestion& question, const std::vector<ConfigPattern>& configs,
                       const Effort& effort) {
  std::vector<Ranking::Listed> listed = completed(question.gpu, question.problem, configs,
                                                  question.regime, question.inputs, effort.threads);
  std::vector<KernelConfig> all;
  for (const Ranking::Listed& one : listed) {
    if (one.config && std::ranges::find(all, std::get<KernelConfig>(*one.config)) == all.end()) {
      all.push_back(std::get<KernelConfig>(*one.config));
    }
  }
  if (all.empty()) {
    throw NoLegalKernel(listed.front().why_none);
  }
  Ranking ranking = rank_listed(question, all, effort);
  ranking.listed = std::move(listed);
  return ranking;
}

}  // namespace

std::vector<Seconds> analytic_times(const GpuSpec& gpu, const AnyProblem& problem,
                                    const std::vector<ConfigPattern>& configs, Regime regime,
                                    Inputs inputs, unsigned threads) {
  for (const ConfigPattern& config : configs) {
    require_own_schedules(problem, config.schedules());
  }
  const std::vector<Ranking::Listed> listed =
      completed(gpu, problem, configs, regime, inputs, threads);
  std::vector<Seconds> times(configs.size(), Seconds{std::numeric_limits<double>::infinity()});
  std::visit(
      [&]<class Problem>(const Problem& own_problem) {
        std::vector<ConfigOf<Problem>> own;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < listed.size(); ++i) {
          if (listed[i].config) {
            own.push_back(std::get<ConfigOf<Problem>>(*listed[i].config));
            places.push_back(i);
          }
        }
        const std::vector<Seconds> known =
            closed_form_times(OpQuestion<Problem>{gpu, own_problem, regime, inputs}, own);
        for (std::size_t i = 0; i < places.size(); ++i) {
          times[places[i]] = known[i];
        }
      },
      problem);
  if (const auto copies = operand_copies(gpu, problem, regime, inputs)) {
    for (Seconds& time : times) {
      time = time + copies->time;
    }
  }
  return times;
}

Ranking rank_configs(const GpuSpec& gpu, const AnyProblem& problem,
                     const std::vector<ConfigPattern>& configs, Regime regime, Inputs inputs,
                     const Effort& given) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  refuse_if(gemm == nullptr, "a list of configurations (--configs) is supported only for GEMMs");
  const Effort effort = with_method(given, Method::kSimulated);
  const GemmQuestion question{gpu, *gemm, regime, inputs};
  const bool each = effort.method == Method::kSimulated && configs.size() <= effort.most_alone;
  Ranking ranking =
      each ? rank_each(question, configs, effort) : rank_completed(question, configs, effort);
  share_matches(configs, ranking.predictions, ranking.listed);
  const auto not_listed = [&](const Prediction& p) {
    return std::ranges::find(ranking.listed, std::optional(p.config), &Ranking::Listed::config) ==
           ranking.listed.end();
  };
  std::erase_if(ranking.predictions, not_listed);
  std::erase_if(ranking.by_tile, not_listed);
  for (std::optional<Prediction>* one : {&ranking.next_simulated, &ranking.counterpart}) {
    if (*one && not_listed(**one)) {
      one->reset();
    }
  }
  if (each) {
    sum_up(effort, ranking);
  }
  return with_copies(gpu, std::move(ranking));
}

}  // namespace tilecast
