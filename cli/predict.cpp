// tilecast predict: ranked schedules and tilings for a problem.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/cutlass_output.h"
#include "cli/predict_many.h"
#include "cli/predict_output.h"
#include "cli/problem_options.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/best_per.h"
#include "model/predict/predict.h"
#include "model/predict/rank_draws.h"
#include "model/spec/load_gpu.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

struct PredictOptions : ProblemOptions {
  std::string regime = "burst", inputs = "normal", format = "table";
  std::vector<std::string> gpus{"h200_sxm"};
  std::optional<std::string> config, method, best_per;
  std::vector<std::string> schedules, data;
  std::size_t top = 10;
  std::optional<std::size_t> simulations;
  unsigned threads = 0;
  bool no_calibration = false, wide = false, rejected = false, verbose = false;
};

/// What is asked, of every GPU alike.
struct Question {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  std::vector<AnySchedule> schedules;
  std::optional<ConfigPattern> config;
  Effort effort;
  std::vector<GemmProblem> draws;  // of a routing
};

/// What one GPU answers; `refusal`: why it does not.
struct Answer {
  LoadedGpu gpu;
  MeasuredByConfig measured;
  Ranking ranking;
  Seconds elapsed;
  std::string refusal;
};

/// Verified rows of this GPU, problem, regime and inputs.
MeasuredByConfig read_measured(const PredictOptions& options, const GpuSpec& gpu,
                               const AnyProblem& problem, Regime regime, Inputs inputs) {
  std::vector<MeasurementFile> files;
  for (const std::string& file : options.data) {
    files.push_back(read_measurements(file));
    if (files.back().rows.empty()) {
      throw ConfigError(file + ": expected measured rows, found only a header");
    }
  }
  Point point = point_of(problem);
  point.regime = regime;
  point.inputs = inputs;
  const GroupKey asked = group_key(point);
  MeasuredByConfig by_config;
  for (const VerifiedRow& row :
       verified_rows(files, {gpu.name, gpu.product}, OtherGpus::kLeftOut)) {
    const Measurement& m = row.measurement();
    if (group_key(m.point) == asked) {
      by_config.emplace(m.point.config, m);
    }
  }
  return by_config;
}

void print_cutlass(const Ranking& ranking, std::size_t top) {
  const CutlassList list = cutlass_list(ranking, top);
  if (list.rows.empty()) {
    throw ConfigError("none of the fastest has a counterpart in CUTLASS" + without_text(list));
  }
  fmt::print("{}{}", cutlass_header(), list.rows);
  if (!list.without.empty()) {
    fmt::print(stderr, "faster ones without a counterpart in CUTLASS{}\n", without_text(list));
  }
}

Question question_of(const PredictOptions& options) {
  const Op op = parse_op(options.op);
  if (options.config && (!options.schedules.empty() || options.best_per)) {
    throw ConfigError("--config names its schedule itself: leave --schedule and --best-per out");
  }
  Question question{
      .problem = options.problem(),
      .regime = parse_regime(options.regime),
      .inputs = parse_inputs(options.inputs),
      .schedules = {},
      .config = {},
      .effort = {.method = options.method ? parse_method(*options.method) : default_method(op),
                 .simulations = options.simulations,
                 .threads = options.threads}};
  if (options.experts) {
    const Waiting waiting(fmt::format("{} draws of {} experts", options.draws, *options.experts));
    question.draws = options.drawn_problems(options.draws);
  }
  for (const std::string& name : options.schedules) {
    question.schedules.push_back(parse_schedule(op, name));
  }
  if (options.config) {
    question.config.emplace(*options.config);
  }
  return question;
}

Ranking rank(const Question& q, const GpuSpec& gpu, const std::optional<std::string>& best_per,
             std::size_t keep) {
  if (!q.draws.empty()) {
    return rank_draws(gpu, q.draws, q.schedules, q.config, q.regime, q.inputs, keep, q.effort);
  }
  if (q.config) {
    return rank_matching(gpu, q.problem, *q.config, q.regime, q.inputs, keep, q.effort);
  }
  if (!best_per) {
    return rank_candidates(gpu, q.problem, q.schedules, q.regime, q.inputs, keep, q.effort);
  }
  return *best_per == "tile"
             ? best_per_tile(gpu, q.problem, q.schedules, q.regime, q.inputs, keep, q.effort)
             : best_per_schedule(gpu, q.problem, q.schedules, q.regime, q.inputs, q.effort);
}

Answer answer_of(const PredictOptions& options, const Question& q, const std::string& name,
                 std::size_t keep) {
  Answer answer{load_gpu(name, !options.no_calibration), {}, {}, {}, {}};
  const GpuSpec& gpu = answer.gpu.spec;
  answer.measured = read_measured(options, gpu, q.problem, q.regime, q.inputs);
  const Waiting waiting(fmt::format("{} on {}", options.shape, gpu.name));
  const auto start = std::chrono::steady_clock::now();
  try {
    answer.ranking = rank(q, gpu, options.best_per, keep);
  } catch (const ConfigError& error) {
    if (options.gpus.size() == 1) {
      throw;
    }
    answer.refusal = error.what();
    return answer;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  answer.elapsed = Seconds{elapsed.count()};
  return answer;
}

void run_predict(const PredictOptions& options) {
  if (options.shape.empty()) {
    throw ConfigError("expected SHAPE, or --problems FILE");
  }
  Question question = question_of(options);
  if (options.format == "jsonl") {
    throw ConfigError("--format jsonl is for --problems: of one SHAPE, json is the whole answer");
  }
  if (options.experts && (options.best_per || !options.data.empty())) {
    throw ConfigError("--experts goes without --best-per and --data");
  }
  const bool cutlass = options.format == "cutlass";
  if (cutlass && options.gpus.size() > 1) {
    throw ConfigError("--format cutlass is for one --gpu");
  }
  if (cutlass && question.schedules.empty() && op_of(question.problem) == Op::kGemm) {
    question.schedules = cutlass_schedules();
  }
  std::vector<Answer> answers;
  for (const std::string& gpu : options.gpus) {
    answers.push_back(
        answer_of(options, question, gpu,
                  cutlass ? std::max(options.top, kLookedAtForCutlass) : options.top));
  }
  if (cutlass) {
    print_cutlass(answers.front().ranking, options.top);
    return;
  }
  std::vector<RankingReport> reports;
  std::vector<GpuRefusal> refusals;
  for (const Answer& answer : answers) {
    if (!answer.refusal.empty()) {
      refusals.push_back({answer.gpu.spec.name, answer.refusal});
      continue;
    }
    if (!options.data.empty() && answer.measured.empty()) {
      fmt::print(stderr, "--data: no verified row of {} on {}, {}, {} inputs\n",
                 to_text(question.problem), answer.gpu.spec.name, to_text(question.regime),
                 to_text(question.inputs));
    }
    reports.push_back({answer.gpu, answer.ranking, options.top, answer.elapsed, answer.measured,
                       options.wide, options.rejected,
                       options.experts ? std::optional(options.asked_routing()) : std::nullopt});
  }
  if (reports.empty()) {
    std::vector<std::string> texts;
    std::ranges::transform(refusals, std::back_inserter(texts),
                           [](const GpuRefusal& refusal) { return to_text(refusal); });
    throw ConfigError("no GPU answers: " + join(texts, "; "));
  }
  const RankingReport& first = reports.front();
  const bool one = answers.size() == 1;
  fmt::print("{}", options.format.starts_with("json")
                       ? (one ? ranking_json(first) : rankings_json(reports, refusals))
                   : options.format == "csv"
                       ? (one ? ranking_csv(first) : rankings_csv(reports, refusals))
                       : (one ? ranking_table(first) : rankings_table(reports, refusals)));
  if (options.verbose) {
    for (const RankingReport& report : reports) {
      fmt::print(stderr, "{}", clamped_text(report));
    }
  }
  if (!refusals.empty()) {
    throw Error(ExitCode::kPartial, fmt::format("the problem is refused by {} of {} GPUs",
                                                refusals.size(), answers.size()));
  }
}

}  // namespace

void add_predict(Program& program) {
  const Command command =
      program.command("predict", "Rank schedules and tilings of a problem by predicted time");
  const auto options = std::make_shared<PredictOptions>();
  const Option shape = command.option(
      "SHAPE", options->shape,
      "MxNxK, such as 4096x4096x4096; ROWSxCOLUMNS for elementwise_add; elements for memcpy");
  command.option("--op", options->op, "gemm, memcpy or elementwise_add");
  command.option("--gpu", options->gpus,
                 "GPU name or unique prefix (`tilecast gpus`), or a path to a GPU file; several "
                 "are shown side by side, --top rows each, default 1");
  add_problem_options(command, *options);
  const Option experts = add_routing_options(command, *options);
  command
      .option("--draws", options->draws,
              "Of the rows of --experts: configurations are ranked by the mean over so many")
      .in_range(i64{1}, i64{1024})
      .needs(experts);
  command.option("--regime", options->regime, "burst or sustained");
  command.option("--inputs", options->inputs, "normal, uniform, ternary or zeros");
  command
      .option("--method", options->method,
              "simulated, the default for GEMMs: the best by closed form are simulated; analytic: "
              "closed forms alone, the only method for copies and additions")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command
      .option("--simulate", options->simulations,
              "How many candidates to simulate of each schedule that could be first, the best by "
              "closed form; default 1 to 8, fewer for large kernels")
      .in_range(1, 4096);
  command.option("--schedule", options->schedules,
                 "Only these schedules, by name, abbreviation or unique prefix; default: all "
                 "with a ring of stages");
  command
      .option(
          "--best-per", options->best_per,
          "schedule: the best of each schedule; tile: the best of each of the --top fastest tiles")
      .one_of({"schedule", "tile"});
  const Option top = command.option("--top", options->top, "Rows to show")
                         .in_range(std::size_t{1}, std::size_t{1} << 20);
  command.option(
      "--config", options->config,
      "Only this configuration, in its long or short form, or those that match where it is given "
      "in part: ws:tile=128x256x64");
  command.option("--data", options->data, "Measurements to show beside the predictions");
  const Option format = command
                            .option("--format", options->format,
                                    "table, json, csv, cutlass: a test list for its "
                                    "profiler; of --problems jsonl, the default, csv or cutlass")
                            .one_of({"table", "json", "csv", "jsonl", "cutlass"});
  command.flag("--wide", options->wide,
               "Every column, and configurations in long form; wider than 80 columns");
  command.flag("--rejected", options->rejected,
               "Give an example of each reason for which candidates were rejected");
  command.flag("--verbose", options->verbose,
               "On standard error: how many results of the rows shown the model had to move into "
               "their range, and which");
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  const auto many = std::make_shared<ManyOptions>();
  const Option problems = command.option(
      "--problems", many->problems,
      "Many problems instead of SHAPE, one a line: shapes with ranges, JSON or CSV, or one "
      "JSON list, such as CUTLASS's heuristics take; a file, or - for standard input. Answers with "
      "--top rows each, default 1, as jsonl, csv or cutlass");
  problems.excludes(shape);
  command.option("--shard", many->shard, "I/N: every N-th of --problems, from the I-th on")
      .needs(problems);
  command.runs([options, many, top, format] {
    if (many->problems.empty()) {
      for (std::vector<std::string>* values :
           {&options->gpus, &options->schedules, &options->data}) {
        give_back_shape(options->shape, *values);
      }
      if (!top.given() && options->best_per == "schedule") {
        options->top = kEveryCandidate;
      } else if (!top.given() && options->gpus.size() > 1) {
        options->top = 1;
      }
      run_predict(*options);
      return;
    }
    if (options->config || options->best_per || !options->data.empty() ||
        options->gpus.size() > 1) {
      throw ConfigError("--problems goes with one --gpu, without --config, --best-per and --data");
    }
    if (options->lda != 0 || options->ldb != 0 || options->ldc != 0) {
      throw ConfigError("--problems: lda, ldb and ldc are fields of a problem, not options");
    }
    if (options->experts || !options->groups.empty() || !options->groups_file.empty()) {
      throw ConfigError(
          "--problems answers without --experts and --groups: a line may have groups");
    }
    if (options->wide || options->rejected || options->verbose) {
      throw ConfigError("--problems answers without --wide, --rejected and --verbose");
    }
    if (format.given() && (options->format == "table" || options->format == "json")) {
      throw ConfigError("--problems answers as jsonl, csv or cutlass, not as " + options->format);
    }
    many->format = format.given() ? options->format : "jsonl";
    many->gpu = options->gpus.front();
    many->defaults = {options->op,     options->dtype, options->regime,
                      options->inputs, options->batch, options->fields};
    many->method = options->method;
    many->schedules = options->schedules;
    many->top = top.given() ? options->top : 1;
    many->simulations = options->simulations;
    many->threads = options->threads;
    many->use_calibration = !options->no_calibration;
    predict_many(*many);
  });
}

}  // namespace tilecast
