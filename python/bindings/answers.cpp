#include "python/bindings/answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <utility>

#include "cli/comparison.h"
#include "cli/explain_output.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/ops/problem_fields.h"
#include "model/predict/predict.h"
#include "model/predict/predict_op.h"
#include "model/rank/objective.h"
#include "model/spec/kept_gpu.h"
#include "model/spec/quantity.h"
#include "model/stream/stream_rules.h"

namespace tilecast::python {
namespace {

const LoadedGpu& loaded(const GpuChoice& choice) {
  return kept_gpu(choice.gpu, choice.calibrated, choice.configs);
}

struct Asked {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  Method method;
};

Asked asked(const ProblemTexts& texts, const Conditions& conditions) {
  const Op op = parse_op(texts.op);
  return {problem_of(op, texts.shape, parse_element_type(texts.dtype), texts.fields),
          parse_regime(conditions.regime), parse_inputs(conditions.inputs),
          conditions.method ? parse_method(*conditions.method) : default_method(op)};
}

/// Calls `work` for each value. Prefixes its ConfigErrors with the value's place, such as
/// "configs[3]: ".
template <class Value, class Work>
void for_each_named(std::string_view name, const std::vector<Value>& values, const Work& work) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    try {
      work(values[i]);
    } catch (const ConfigError& error) {
      throw ConfigError(fmt::format("{}[{}]: {}", name, i, error.what()));
    }
  }
}

Ranking rank(const LoadedGpu& gpu, const Asked& ask, const Search& search, unsigned threads) {
  const Shortlist shortlist = shown_shortlist(ask.problem);
  const Objective objective = parse_objective(search.objective);
  const Effort of_given{.method = ask.method,
                        .simulations = search.simulate,
                        .threads = threads,
                        .shortlist = {.tiles = shortlist.tiles},
                        .objective = objective};
  if (search.configs.size() == 1) {
    return rank_matching(gpu.spec, ask.problem, ConfigPattern(search.configs.front()), ask.regime,
                         ask.inputs, search.top, of_given);
  }
  if (!search.configs.empty()) {
    std::vector<ConfigPattern> given;
    for_each_named("configs", search.configs,
                   [&](const std::string& config) { given.emplace_back(config); });
    return rank_configs(gpu.spec, ask.problem, given, ask.regime, ask.inputs, of_given);
  }
  std::vector<AnySchedule> schedules;
  for (const std::string& name : search.schedules) {
    schedules.push_back(parse_schedule(op_of(ask.problem), name));
  }
  return rank_candidates(gpu.spec, ask.problem, schedules, ask.regime, ask.inputs, search.top,
                         {.method = ask.method,
                          .simulations = search.simulate,
                          .threads = threads,
                          .shortlist = shortlist,
                          .objective = objective});
}

RankingAnswer answer(const GpuChoice& choice, const ProblemTexts& problem,
                     const Conditions& conditions, const Search& search, unsigned threads,
                     bool table) {
  const LoadedGpu& gpu = loaded(choice);
  const auto start = std::chrono::steady_clock::now();
  const Ranking ranking = rank(gpu, asked(problem, conditions), search, threads);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const MeasuredByConfig none;
  RankingReport report{gpu, ranking, search.top, Seconds{elapsed.count()}, none};
  report.lines.resize(ranking.listed.size());
  std::iota(report.lines.begin(), report.lines.end(), std::size_t{1});
  if (!table) {
    return {ranking_json(report), "", ""};
  }
  const std::string by_tile = ranking_table(report);
  report.every_candidate = true;
  report.rows = rows_of(report);
  return {ranking_json(report), ranking_table(report), by_tile};
}

/// Constants that depend on the code of a kernel family: overheads per K block and tile, and the
/// wait for loads in addition to the machine's latency. All others are properties of the machine.
constexpr std::pair<std::string_view, Cycles MachineSpec::*> kOfTheCode[] = {
    {"turn", &MachineSpec::turn},         {"mma_issue", &MachineSpec::mma_issue},
    {"own_copy", &MachineSpec::own_copy}, {"load_wait", &MachineSpec::l2_latency},
    {"epilogue", &MachineSpec::epilogue}, {"chunk", &MachineSpec::chunk},
};

GpuSpec of_family(const GpuSpec& gpu, const std::map<std::string, double>& cycles) {
  GpuSpec family = gpu;
  family.learned = nullptr;
  if (!family.machine) {
    throw ConfigError(why_not_schedulable(gpu));
  }
  std::vector<std::string> known;
  for (const auto& [name, member] : kOfTheCode) {
    known.emplace_back(name);
    if (const auto found = cycles.find(std::string(name)); found != cycles.end()) {
      Cycles& own = (*family.machine).*member;
      own = std::max(Cycles{}, own + Cycles{found->second});
    }
  }
  for (const auto& [name, value] : cycles) {
    if (std::ranges::find(known, name) == known.end()) {
      throw ConfigError(name + ": unknown" + did_you_mean(name, known));
    }
    if (!std::isfinite(value)) {
      throw ConfigError(fmt::format("{}: expected a finite number of cycles, got {}", name, value));
    }
  }
  return family;
}

void require_solvable(const GpuSpec& gpu, const Asked& ask, const std::string& shape) {
  const std::string why =
      std::visit([&](const auto& problem) { return why_not_solvable(gpu, problem); }, ask.problem);
  if (!why.empty()) {
    throw ConfigError(shape + ": " + why);
  }
}

const GemmProblem& gemm_of(const Asked& ask, const GpuSpec& gpu, const std::string& shape) {
  const GemmProblem* problem = std::get_if<GemmProblem>(&ask.problem);
  if (problem == nullptr) {
    throw ConfigError("family: applies only to GEMMs");
  }
  require_solvable(gpu, ask, shape);
  return *problem;
}

/// Returns the times of rank_configs; infinite for a configuration that cannot run or that no
/// candidate matches.
std::vector<Seconds> simulated_times_of(const GpuSpec& gpu, const Asked& ask,
                                        const std::vector<ConfigPattern>& configs) {
  std::vector<Seconds> times(configs.size(), Seconds{std::numeric_limits<double>::infinity()});
  Ranking ranking;
  try {
    ranking =
        rank_configs(gpu, ask.problem, configs, ask.regime, ask.inputs,
                     {.method = Method::kSimulated, .threads = 1, .most_alone = kEveryCandidate});
  } catch (const NoLegalKernel&) {
    return times;
  }
  for (std::size_t i = 0; i < configs.size(); ++i) {
    for (const Prediction& p : ranking.predictions) {
      if (ranking.listed[i].config == std::optional(p.config)) {
        times[i] = p.time;
      }
    }
  }
  return times;
}

std::vector<Seconds> times_of(const GpuSpec& gpu, const Asked& ask,
                              const std::vector<ConfigPattern>& configs) {
  return ask.method == Method::kSimulated
             ? simulated_times_of(gpu, ask, configs)
             : analytic_times(gpu, ask.problem, configs, ask.regime, ask.inputs, 1);
}

}  // namespace

std::vector<GpuLine> gpus(const std::filesystem::path& configs) {
  std::vector<GpuLine> lines;
  for (const std::string& name : known_gpus(configs)) {
    const GpuSpec& gpu = loaded({name, true, configs}).spec;
    lines.push_back({name, gpu.product, std::string(to_text(gpu.architecture)), gpu.sm.count,
                     why_not_schedulable(gpu)});
  }
  return lines;
}

RankingAnswer predict(const GpuChoice& choice, const ProblemTexts& problem,
                      const Conditions& conditions, const Search& search) {
  return answer(choice, problem, conditions, search, search.threads, true);
}

std::vector<std::string> predict_many(const GpuChoice& choice,
                                      const std::vector<ProblemTexts>& problems,
                                      const Conditions& conditions, const Search& search) {
  (void)loaded(choice);
  std::vector<std::string> answers(problems.size());
  parallel_for(problems.size(), search.threads, [&](std::size_t i) {
    try {
      answers[i] = answer(choice, problems[i], conditions, search, 1, false).json;
    } catch (const ConfigError& error) {
      answers[i] = json_text({{"error", error.what()}});
    }
  });
  return answers;
}

std::vector<std::string> compare_many(const GpuChoice& choice,
                                      const std::vector<ProblemTexts>& problems,
                                      const Conditions& conditions, unsigned threads) {
  const GpuSpec& gpu = loaded(choice).spec;
  std::vector<std::string> answers(problems.size());
  parallel_for(problems.size(), threads, [&](std::size_t i) {
    try {
      const Asked ask = asked(problems[i], conditions);
      answers[i] = json_text(comparison_object(
          gpu, compare(gpu,
                       rank_candidates(gpu, ask.problem, {}, ask.regime, ask.inputs, 1,
                                       {.method = ask.method,
                                        .threads = 1,
                                        .shortlist = shown_shortlist(ask.problem)}),
                       choice.configs)));
    } catch (const ConfigError& error) {
      answers[i] = json_text({{"error", error.what()}});
    }
  });
  return answers;
}

std::map<std::string, double> constants(const GpuChoice& choice) {
  std::map<std::string, double> numbers;
  for (const Constant& constant : loaded(choice).constants) {
    numbers.emplace(constant.key_path, constant.value / in_unit(1, constant.unit));
  }
  return numbers;
}

Answer explain(const GpuChoice& choice, const ProblemTexts& problem, const Conditions& conditions,
               const std::vector<std::string>& configs, bool best, unsigned threads) {
  const LoadedGpu& gpu = loaded(choice);
  const Asked ask = asked(problem, conditions);
  const Effort effort{
      .method = ask.method, .threads = threads, .shortlist = shown_shortlist(ask.problem)};
  const auto start = std::chrono::steady_clock::now();
  ExplainReport report{gpu, ask.problem, ask.regime, ask.inputs, {}, {}, {}};
  for (const std::string& config : configs) {
    report.kernels.push_back(
        explain_best(gpu.spec, ask.problem, ConfigPattern(config), ask.regime, ask.inputs, effort));
  }
  if (best) {
    const Ranking ranking =
        rank_candidates(gpu.spec, ask.problem, {}, ask.regime, ask.inputs, 1, effort);
    report.best = tilecast::explain(gpu.spec, ask.problem, ranking.predictions.front().config,
                                    ask.regime, ask.inputs, effort);
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.elapsed = Seconds{elapsed.count()};
  return {json_text(explain_json(report)), explain_text(report)};
}

std::vector<std::vector<double>> config_times(const GpuChoice& choice,
                                              const std::vector<ProblemTexts>& problems,
                                              const Conditions& conditions,
                                              const std::vector<std::string>& configs,
                                              unsigned threads) {
  const GpuSpec& gpu = loaded(choice).spec;
  std::vector<Asked> all;
  for_each_named("problems", problems, [&](const ProblemTexts& problem) {
    all.push_back(asked(problem, conditions));
    require_solvable(gpu, all.back(), problem.shape);
  });
  std::vector<ConfigPattern> kernels;
  for_each_named("configs", configs,
                 [&](const std::string& config) { kernels.emplace_back(config); });
  for (Asked& one : all) {
    const bool gemm = std::holds_alternative<GemmProblem>(one.problem);
    if (conditions.method && one.method == Method::kSimulated && !gemm) {
      throw ConfigError("method: simulated applies only to GEMMs");
    }
    if (!gemm || (!conditions.method && problems.size() * configs.size() > kMostAlone)) {
      one.method = Method::kAnalytic;
    }
  }
  std::vector<std::vector<double>> times(problems.size());
  parallel_for(problems.size(), threads, [&](std::size_t i) {
    for (const Seconds time : times_of(gpu, all[i], kernels)) {
      times[i].push_back(time.value);
    }
  });
  return times;
}

std::vector<FamilyTime> family_times(const GpuChoice& choice, const ProblemTexts& texts,
                                     const Conditions& conditions,
                                     const std::vector<std::vector<std::string>>& kernels,
                                     const std::map<std::string, double>& cycles,
                                     unsigned threads) {
  const GpuSpec gpu = of_family(loaded(choice).spec, cycles);
  const Asked ask = asked(texts, conditions);
  const GemmProblem& problem = gemm_of(ask, gpu, texts.shape);
  if (copied_operands(problem).any()) {
    throw ConfigError(texts.shape +
                      ": rows of A and B must be multiples of 16 bytes: only tilecast's kernels "
                      "are preceded by a "
                      "copy of misaligned operands");
  }
  std::vector<FamilyTime> times(kernels.size());
  parallel_for(kernels.size(), threads, [&](std::size_t i) {
    for (const std::string& text : kernels[i]) {
      const KernelConfig config = parse_kernel_config(text);
      if (check_legal(gpu, problem, config) == Refusal::kNone) {
        const Prediction p =
            predict_one({gpu, problem, ask.regime, ask.inputs}, config, ask.method);
        times[i] = {p.time.value, p.cycles.value, p.sm_clock.value, text};
        return;
      }
    }
  });
  return times;
}

SmLimits sm_limits(const GpuChoice& choice) {
  const GpuSpec& gpu = loaded(choice).spec;
  const SmSpec& sm = gpu.sm;
  return {sm.max_threads, sm.registers, sm.shared_memory.value, sm.shared_memory_per_cta.value,
          gpu.wgmma.has_value()};
}

std::vector<TritonTime> triton_times(const GpuChoice& choice, const ProblemTexts& problem,
                                     const Conditions& conditions,
                                     const std::vector<TritonKernel>& kernels,
                                     const std::map<std::string, double>& costs, unsigned threads) {
  const GpuSpec& gpu = loaded(choice).spec;
  const Asked ask = asked(problem, conditions);
  const GemmQuestion of_kernels{gpu, gemm_of(ask, gpu, problem.shape), ask.regime, ask.inputs};
  const TritonCosts read = TritonCosts::of(costs);
  std::vector<TritonTime> times(kernels.size());
  parallel_for(kernels.size(), threads,
               [&](std::size_t i) { times[i] = triton_time(of_kernels, kernels[i], read); });
  return times;
}

}  // namespace tilecast::python
