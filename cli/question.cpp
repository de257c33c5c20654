#include "cli/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <set>

#include "cli/cutlass_output.h"
#include "cli/problem_options.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/ops/short_config_text.h"
#include "model/predict/rank_draws.h"
#include "model/rank/objective.h"

namespace tilecast {

ListedConfigs read_configs(const std::string& path) {
  ListedConfigs listed;
  if (path.empty()) {
    return listed;
  }
  const bool piped = path == "-";
  const std::string name = piped ? "standard input" : path;
  const std::string text =
      piped ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_text(path);
  std::set<std::string, std::less<>> seen;
  std::size_t number = 0, repeated = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = line.substr(0, line.find_last_not_of(" \t\r\"") + 1);
    line.remove_prefix(std::min(line.find_first_not_of(" \t\""), line.size()));
    if (line.empty() || line.front() == '#') {
      continue;
    }
    if (!seen.emplace(line).second) {
      ++repeated;
      continue;
    }
    try {
      listed.configs.emplace_back(line);
      listed.lines.push_back(number);
    } catch (const ConfigError& error) {
      say("{}:{}: {}", name, number, error.what());
      listed.unread.push_back({number, error.what()});
    }
  }
  refuse_if(listed.configs.empty(), "{}: expected a configuration on each line, such as 128x256x64",
            name);
  if (repeated > 0) {
    say("{}: {}, {} repeated", name, counted(listed.configs.size(), "configuration"),
        with_commas(static_cast<i64>(repeated)));
  }
  return listed;
}

void require_all_read(const ListedConfigs& listed) {
  if (!listed.unread.empty()) {
    throw Error(ExitCode::kPartial,
                fmt::format("--configs: {} cannot be read; the others are ranked",
                            counted(listed.unread.size(), "line")));
  }
}

ListedConfigs asked_configs(const Arguments& args) {
  ListedConfigs listed = read_configs(args.text("--configs"));
  if (const std::vector<std::string>& configs = args.texts("--config");
      args.command() == "predict" && configs.size() > 1) {
    if (args.given("--experts")) {
      throw ConfigError("--experts takes exactly one --config");
    }
    for (const std::string& config : configs) {
      listed.configs.emplace_back(config);
      listed.lines.push_back(listed.configs.size());
    }
  }
  return listed;
}

Effort asked_effort(const Arguments& args) {
  const auto method = args.text_if_given("--method");
  const auto simulations = args.number_if_any("--simulate");
  const auto objective = args.text_if_given("--objective");
  refuse_if(simulations && method && parse_method(*method) == Method::kAnalytic,
            "--simulate cannot be combined with --method analytic");
  return {.method = method ? std::optional(parse_method(*method)) : std::nullopt,
          .simulations =
              simulations ? std::optional(static_cast<std::size_t>(*simulations)) : std::nullopt,
          .threads = static_cast<unsigned>(args.number_if_any("--threads").value_or(0)),
          .objective = objective ? parse_objective(*objective) : Objective::kTime};
}

std::vector<AnySchedule> asked_schedules(const Arguments& args, const AnyProblem& problem,
                                         const GpuSpec& gpu) {
  const Op op = op_of(problem);
  std::vector<AnySchedule> schedules;
  for (const std::string& name : args.texts("--schedule")) {
    try {
      schedules.push_back(parse_schedule(op, name));
    } catch (const ConfigError&) {
      std::vector<std::string> known;
      for (const AnySchedule& schedule : menu_schedules(gpu, op)) {
        known.emplace_back(common_name(schedule));
      }
      throw ConfigError(fmt::format("--schedule {}: expected one of {}{}", name, join(known, ", "),
                                    did_you_mean(name, known)));
    }
  }
  refuse_if(args.text("--format") == "cutlass" && gpu.architecture != Architecture::kHopper,
            "--format cutlass: expected a Hopper GPU; {} is {}", gpu.name,
            to_text(gpu.architecture));
  return schedules;
}

Question question_of(const Arguments& args, const GpuSpec& gpu) {
  Question question{
      .problem = asked_problem(args),
      .regime = parse_regime(args.text("--regime")),
      .inputs = parse_inputs(args.given("--inputs") ? args.text("--inputs") : "normal"),
      .listed = asked_configs(args),
      .effort = asked_effort(args)};
  question.schedules = asked_schedules(args, question.problem, gpu);
  question.cutlass = args.text("--format") == "cutlass";
  question.effort.shortlist = shown_shortlist(
      question.problem, static_cast<std::size_t>(args.number_if_any("--rows").value_or(0)));
  if (args.given("--experts")) {
    const i64 draws = args.number("--draws");
    const Waiting waiting(
        fmt::format("{} routings over {} experts", draws, args.text("--experts")));
    question.draws = drawn_problems(args, draws);
  }
  if (args.texts("--config").size() == 1) {
    question.config.emplace(args.text("--config"));
  }
  return question;
}

namespace {

Ranking ranked(const Question& q, const GpuSpec& gpu, std::size_t keep) {
  return !q.draws.empty()
             ? rank_draws(gpu, q.draws, q.schedules, q.config, q.regime, q.inputs, keep, q.effort)
         : !q.listed.configs.empty()
             ? rank_configs(gpu, q.problem, q.listed.configs, q.regime, q.inputs, q.effort)
         : q.config
             ? rank_matching(gpu, q.problem, *q.config, q.regime, q.inputs, keep, q.effort)
             : rank_candidates(gpu, q.problem, q.schedules, q.regime, q.inputs, keep, q.effort);
}

}  // namespace

Ranking rank(const Question& q, const GpuSpec& gpu, std::size_t keep) {
  if (!q.cutlass || !std::holds_alternative<GemmProblem>(q.problem) || !q.schedules.empty() ||
      q.config || !q.listed.configs.empty()) {
    return ranked(q, gpu, keep);
  }
  Question own = q;
  own.schedules = cutlass_schedules();
  own.effort.shortlist = {};
  Ranking of_cutlass = ranked(own, gpu, keep);
  of_cutlass.counterpart = ranked(q, gpu, 1).counterpart;
  return of_cutlass;
}

}  // namespace tilecast
