// tilecast predict: ranked schedules and tilings for a problem.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/cutlass_output.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_list.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "validate/record/csv_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

/// The answer for one GPU; `refusal`: the reason why there is none.
struct Answer {
  LoadedGpu gpu;
  MeasuredByConfig measured;
  Ranking ranking;
  Seconds elapsed;
  std::string refusal;
};

/// Verified rows of this GPU, problem, regime and inputs.
MeasuredByConfig read_measured(const Arguments& args, const GpuSpec& gpu, const Question& q) {
  std::vector<MeasurementFile> files;
  for (const std::string& file : args.texts("--data")) {
    files.push_back(read_measurements(file));
    if (files.back().rows.empty()) {
      throw ConfigError(file + ": expected measured rows, found only a header");
    }
  }
  const GroupKey asked =
      group_key({.problem = q.problem, .config = {}, .regime = q.regime, .inputs = q.inputs});
  MeasuredByConfig by_config;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kLeftOut)) {
    const Measurement& m = row.measurement();
    if (group_key(m.point) == asked) {
      by_config.emplace(m.point.config, m);
    }
  }
  if (!files.empty() && by_config.empty()) {
    say("--data: no verified row of {} on {}, {}, {} inputs", to_text(q.problem), gpu.name,
        to_text(q.regime), to_text(q.inputs));
  }
  return by_config;
}

Question question_of(const Arguments& args) {
  Question question{.problem = asked_problem(args),
                    .regime = parse_regime(args.text("--regime")),
                    .inputs = parse_inputs(args.text("--inputs")),
                    .configs = read_configs(args.text("--configs")),
                    .effort = asked_effort(args)};
  question.effort.method = question.effort.method.value_or(default_method(op_of(question.problem)));
  question.schedules = asked_schedules(args, question.problem);
  if (args.given("--experts")) {
    const i64 draws = args.number("--draws");
    const Waiting waiting(fmt::format("{} draws of {} experts", draws, args.text("--experts")));
    question.draws = drawn_problems(args, draws);
  }
  if (const std::string format = args.text("--format"); format == "table" || format == "json") {
    question.effort.shortlist = shown_shortlist(
        question.problem, static_cast<std::size_t>(args.number_if_any("--rows").value_or(0)));
  }
  if (args.given("--config")) {
    question.config.emplace(args.text("--config"));
    question.effort.shortlist.has_counterpart = {};
  }
  return question;
}

Answer answer_of(const Arguments& args, const Question& q, const std::string& name, bool one,
                 std::size_t keep) {
  Answer answer{load_asked_gpu(name, !args.given("--no-calibration")), {}, {}, {}, {}};
  const GpuSpec& gpu = answer.gpu.spec;
  answer.measured = read_measured(args, gpu, q);
  const Waiting waiting(fmt::format("{} on {}", asked_shape(args), gpu.name));
  const auto start = std::chrono::steady_clock::now();
  try {
    answer.ranking = rank(q, gpu, keep);
  } catch (const ConfigError& error) {
    if (one) {
      throw;
    }
    answer.refusal = error.what();
  }
  answer.elapsed =
      Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
  return answer;
}

void run_one(const Arguments& args) {
  const std::string format = args.text("--format");
  if (format == "jsonl") {
    throw ConfigError("--format jsonl is for --problems: of one SHAPE, json is the whole answer");
  }
  const Question question = question_of(args);
  const std::vector<std::string> gpus =
      args.given("--gpu") ? args.texts("--gpu") : std::vector{args.text("--gpu")};
  const bool one = gpus.size() == 1, cutlass = format == "cutlass",
             listing = args.given("--configs");
  if (cutlass && !one) {
    throw ConfigError("--format cutlass is for one --gpu");
  }
  constexpr std::size_t kListed = 10;  // rows of a list
  const std::optional<i64> asked = args.number_if_any("--rows");
  const std::optional<std::size_t> rows =
      asked ? std::optional(static_cast<std::size_t>(*asked)) : std::nullopt;
  // The text has the rows of its shortlist; its ranking needs no more than the first.
  const std::size_t listed = rows.value_or(!one ? 1 : listing ? kEveryCandidate : kListed);
  const std::size_t keep = cutlass ? std::max(listed, kLookedAtForCutlass)
                           : format == "table" && !args.given("--all") ? 1
                                                                       : listed;
  std::vector<Answer> answers;
  for (const std::string& gpu : gpus) {
    answers.push_back(answer_of(args, question, gpu, one, keep));
  }
  if (cutlass) {
    fmt::print("{}{}", cutlass_header(), cutlass_rows(answers.front().ranking, listed));
    return;
  }
  std::vector<RankingReport> reports;
  std::vector<GpuRefusal> refusals;
  std::vector<std::string> whys;
  for (const Answer& answer : answers) {
    if (!answer.refusal.empty()) {
      refusals.push_back({answer.gpu.spec.name, answer.refusal});
      whys.push_back(to_text(refusals.back()));
      continue;
    }
    reports.push_back({answer.gpu, answer.ranking, listed, answer.elapsed, answer.measured,
                       args.given("--wide"), args.given("--verbose"),
                       args.given("--experts") ? std::optional(asked_routing(args)) : std::nullopt,
                       rows, args.given("--all") || listing});
  }
  if (reports.empty()) {
    throw ConfigError("no GPU answers: " + join(whys, "; "));
  }
  const RankingReport& first = reports.front();
  fmt::print("{}", format == "json" ? (one ? ranking_json(first) : rankings_json(reports, refusals))
                   : format == "csv"
                       ? (one ? ranking_csv(first) : rankings_csv(reports, refusals))
                       : (one ? ranking_table(first) : rankings_table(reports, refusals)));
  for (const RankingReport& report : reports) {
    fmt::print(stderr, "{}", args.given("--verbose") ? search_text(report) : "");
  }
  if (!refusals.empty()) {
    throw Error(ExitCode::kPartial, fmt::format("the problem is refused by {} of {} GPUs",
                                                refusals.size(), answers.size()));
  }
}

nlohmann::ordered_json place_json(const ListedProblem& listed) {
  return {{"schema", kAnswerSchema}, {"index", listed.index}, {"line", listed.line}};
}

/// The whole answer of `predict` on one line, with its place in front.
std::string answer_line(const ListedProblem& listed, const RankingReport& report, bool json) {
  if (json) {
    nlohmann::ordered_json object = place_json(listed);
    object.update(ranking_object(report));
    object.erase("elapsed_ms");  // so that equal problems have equal answers
    return json_text(object);
  }
  return ranking_rows(
      report,
      fmt::format("{},{},{},", listed.index, listed.line, csv_field(to_text(listed.problem))), ",");
}

/// predict --problems.
void run_many(const Arguments& args) {
  const std::string format = args.given("--format") ? args.text("--format") : "jsonl";
  if (format == "table" || format == "json") {
    throw ConfigError("--problems answers as jsonl, csv or cutlass, not as " + format);
  }
  if (args.texts("--gpu").size() > 1) {
    throw ConfigError("--problems goes with one --gpu");
  }
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), !args.given("--no-calibration"));
  const std::vector<ConfigPattern> configs = read_configs(args.text("--configs"));
  const std::size_t top = static_cast<std::size_t>(
      args.number_if_any("--rows").value_or(configs.empty() ? 1 : i64{1} << 20));
  Effort effort = asked_effort(args);
  effort.threads = 1;
  const bool cutlass = format == "cutlass", json = format == "jsonl";
  ListAnswers answers;
  answers.header = json      ? ""
                   : cutlass ? cutlass_header()
                             : fmt::format("index,line,problem,{},error\n", kRankingColumns);
  answers.answer = [&](const ListedProblem& listed) {
    const Ranking ranking = rank({.problem = listed.problem,
                                  .regime = listed.regime,
                                  .inputs = listed.inputs,
                                  .schedules = asked_schedules(args, listed.problem),
                                  .configs = configs,
                                  .effort = effort},
                                 gpu.spec, cutlass ? std::max(top, kLookedAtForCutlass) : top);
    static const MeasuredByConfig kNone;
    return cutlass ? cutlass_rows(ranking, top, to_text(listed.problem) + ": ")
                   : answer_line(listed, {gpu, ranking, top, Seconds{0}, kNone}, json);
  };
  answers.refusal = [&](const ListedProblem& listed, const std::string& why) {
    if (cutlass) {  // its profiler reads no errors
      begin_line();
      say("tilecast: problem {}: {}", listed.index, why);
      return std::string();
    }
    nlohmann::ordered_json object = place_json(listed);
    object["error"] = why;
    return json ? json_text(object)
                : refused_row(fmt::format("{},{},,", listed.index, listed.line), why);
  };
  answer_list(args, answers,
              std::string("could not be predicted; ") +
                  (cutlass ? "the lines above say why" : "their `error` says why"));
}

}  // namespace

void run_predict(const Arguments& args) {
  args.given("--problems") ? run_many(args) : run_one(args);
}

}  // namespace tilecast
