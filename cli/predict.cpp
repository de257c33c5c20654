// tilecast predict: ranked schedules and tilings for a problem.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/cutlass_output.h"
#include "cli/predict_many.h"
#include "cli/predict_output.h"
#include "cli/problem_options.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/predict.h"
#include "model/predict/rank_draws.h"
#include "model/spec/load_gpu.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

struct PredictOptions : ProblemOptions {
  std::string regime = "burst", inputs = "normal", format = "table", configs;
  std::vector<std::string> gpus{"h200_sxm"};
  std::optional<std::string> config, method;
  std::vector<std::string> schedules, data;
  std::optional<std::size_t> rows, simulations;
  unsigned threads = 0;
  bool no_calibration = false, wide = false, all = false, verbose = false;
};

/// What is asked, of every GPU alike.
struct Question {
  AnyProblem problem;
  Regime regime;
  Inputs inputs;
  std::vector<AnySchedule> schedules;
  std::optional<ConfigPattern> config;
  std::vector<ConfigPattern> configs;  // a list to be ranked
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
                               const Question& q) {
  std::vector<MeasurementFile> files;
  for (const std::string& file : options.data) {
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
    fmt::print(stderr, "--data: no verified row of {} on {}, {}, {} inputs\n", to_text(q.problem),
               gpu.name, to_text(q.regime), to_text(q.inputs));
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
  if (options.config && (!options.schedules.empty() || !options.configs.empty())) {
    throw ConfigError("--config names its schedule itself: leave --schedule and --configs out");
  }
  Question question{
      .problem = options.problem(),
      .regime = parse_regime(options.regime),
      .inputs = parse_inputs(options.inputs),
      .schedules = {},
      .config = {},
      .configs = read_configs(options.configs),
      .effort = {.method = options.method ? parse_method(*options.method) : default_method(op),
                 .simulations = options.simulations,
                 .threads = options.threads}};
  if (options.experts) {
    const Waiting waiting(fmt::format("{} draws of {} experts", options.draws, *options.experts));
    question.draws = options.drawn_problems(options.draws);
  }
  if (options.format == "table" || options.format == "json") {
    question.effort.shortlist = shown_shortlist(question.problem, options.rows.value_or(0));
  }
  for (const std::string& name : options.schedules) {
    question.schedules.push_back(parse_schedule(op, name));
  }
  if (options.config) {
    question.config.emplace(*options.config);
    question.effort.shortlist.has_counterpart = {};
  }
  return question;
}

Ranking rank(const Question& q, const GpuSpec& gpu, std::size_t keep) {
  return !q.draws.empty()
             ? rank_draws(gpu, q.draws, q.schedules, q.config, q.regime, q.inputs, keep, q.effort)
         : !q.configs.empty()
             ? rank_configs(gpu, q.problem, q.configs, q.regime, q.inputs, q.effort)
         : q.config
             ? rank_matching(gpu, q.problem, *q.config, q.regime, q.inputs, keep, q.effort)
             : rank_candidates(gpu, q.problem, q.schedules, q.regime, q.inputs, keep, q.effort);
}

Answer answer_of(const PredictOptions& options, const Question& q, const std::string& name,
                 std::size_t keep) {
  Answer answer{load_asked_gpu(name, !options.no_calibration), {}, {}, {}, {}};
  const GpuSpec& gpu = answer.gpu.spec;
  answer.measured = read_measured(options, gpu, q);
  const Waiting waiting(fmt::format("{} on {}", options.shape, gpu.name));
  const auto start = std::chrono::steady_clock::now();
  try {
    answer.ranking = rank(q, gpu, keep);
  } catch (const ConfigError& error) {
    if (options.gpus.size() == 1) {
      throw;
    }
    answer.refusal = error.what();
  }
  answer.elapsed =
      Seconds{std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
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
  if (options.experts && (!options.data.empty() || !options.configs.empty())) {
    throw ConfigError("--experts cannot be combined with --data and --configs");
  }
  const bool one = options.gpus.size() == 1, cutlass = options.format == "cutlass";
  if (cutlass && !one) {
    throw ConfigError("--format cutlass is for one --gpu");
  }
  if (cutlass && question.schedules.empty() &&
      std::holds_alternative<GemmProblem>(question.problem)) {
    question.schedules = cutlass_schedules();
  }
  constexpr std::size_t kListed = 10;  // rows of a list
  const bool table = options.format == "table";
  // The text has the rows of its shortlist; its ranking needs no more than the first.
  const std::size_t listed = options.rows.value_or(!one                      ? 1
                                                   : options.configs.empty() ? kListed
                                                                             : kEveryCandidate);
  const std::size_t keep = cutlass                 ? std::max(listed, kLookedAtForCutlass)
                           : table && !options.all ? 1
                                                   : listed;
  std::vector<Answer> answers;
  for (const std::string& gpu : options.gpus) {
    answers.push_back(answer_of(options, question, gpu, keep));
  }
  if (cutlass) {
    print_cutlass(answers.front().ranking, listed);
    return;
  }
  std::vector<RankingReport> reports;
  std::vector<GpuRefusal> refusals;
  for (const Answer& answer : answers) {
    if (!answer.refusal.empty()) {
      refusals.push_back({answer.gpu.spec.name, answer.refusal});
      continue;
    }
    reports.push_back({answer.gpu, answer.ranking, listed, answer.elapsed, answer.measured,
                       options.wide, options.verbose,
                       options.experts ? std::optional(options.asked_routing()) : std::nullopt,
                       options.rows, options.all || !options.configs.empty()});
  }
  if (reports.empty()) {
    std::vector<std::string> texts;
    std::ranges::transform(refusals, std::back_inserter(texts),
                           [](const GpuRefusal& refusal) { return to_text(refusal); });
    throw ConfigError("no GPU answers: " + join(texts, "; "));
  }
  const RankingReport& first = reports.front();
  fmt::print("{}", options.format == "json"
                       ? (one ? ranking_json(first) : rankings_json(reports, refusals))
                   : options.format == "csv"
                       ? (one ? ranking_csv(first) : rankings_csv(reports, refusals))
                       : (one ? ranking_table(first) : rankings_table(reports, refusals)));
  for (const RankingReport& report : reports) {
    fmt::print(stderr, "{}", options.verbose ? search_text(report) : "");
  }
  if (!refusals.empty()) {
    throw Error(ExitCode::kPartial, fmt::format("the problem is refused by {} of {} GPUs",
                                                refusals.size(), answers.size()));
  }
}

/// As predict_many has them. Throws ConfigError for what is of one SHAPE.
void run_many(const PredictOptions& options, ManyOptions& many, bool format_given) {
  const auto refuse = [](bool given, const char* why) {
    if (given) {
      throw ConfigError(std::string("--problems ") + why);
    }
  };
  refuse(options.config || !options.data.empty() || options.gpus.size() > 1,
         "goes with one --gpu, without --config and --data");
  refuse(options.lda != 0 || options.ldb != 0 || options.ldc != 0,
         "has lda, ldb and ldc as fields of a problem, not as options");
  refuse(options.experts || !options.groups.empty() || !options.groups_file.empty(),
         "answers without --experts and --groups: a line may have groups");
  refuse(options.wide || options.all || options.verbose,
         "answers without --wide, --all and --verbose");
  if (format_given && (options.format == "table" || options.format == "json")) {
    throw ConfigError("--problems answers as jsonl, csv or cutlass, not as " + options.format);
  }
  many.format = format_given ? options.format : "jsonl";
  many.gpu = options.gpus.front();
  many.defaults = {options.op,     options.dtype, options.regime,
                   options.inputs, options.batch, options.gemm_fields()};
  many.configs = read_configs(options.configs);
  many.method = options.method;
  many.schedules = options.schedules;
  many.top = options.rows.value_or(many.configs.empty() ? 1 : kEveryCandidate);
  many.simulations = options.simulations;
  many.threads = options.threads;
  many.use_calibration = !options.no_calibration;
  predict_many(many);
}

}  // namespace

void add_predict(Program& program) {
  const Command command =
      program.command("predict", "Rank schedules and tilings of a problem by predicted time");
  const auto options = std::make_shared<PredictOptions>();
  const auto many = std::make_shared<ManyOptions>();
  command.group("Problem");
  const Option shape = add_shape(command, *options);
  add_problem_options(command, *options);
  command.option("--op", options->op, "gemm, attention, memcpy or elementwise_add");
  command.group("Machine");
  command.option("--gpu", options->gpus,
                 "GPU: a name or part of one (`tilecast list gpus`), or a path to a GPU file; "
                 "several are shown side by side");
  command.option("--regime", options->regime,
                 "burst: a few milliseconds on an idle GPU; sustained: continuous load");
  command.option("--inputs", options->inputs,
                 "normal, uniform, ternary or zeros: they set the power");
  command.group("Mixture of experts");
  const Option experts = add_routing_options(command, *options);
  command
      .option("--draws", options->draws,
              "Random routings; configurations are ranked by the mean over them")
      .in_range(i64{1}, i64{1024})
      .needs(experts);
  command.group("Search");
  command.option("--config", options->config,
                 "Only this configuration, whole or in part: 128x256x64, 'cooperative 128x256', "
                 "ws:tile=128x256x64,stages=4");
  command.option("--configs", options->configs,
                 "Rank the configurations of this file, one a line, instead of the search space");
  command.option("--schedule", options->schedules,
                 "Only these schedules, such as pingpong cooperative (`tilecast list schedules`)");
  const Option problems = command.option(
      "--problems", many->problems,
      "Many problems instead of SHAPE, one a line: shapes with ranges, JSON or CSV, or CUTLASS's "
      "JSON list; a file, or - for standard input. Answers as jsonl, csv or cutlass");
  problems.excludes(shape);
  command.option("--shard", many->shard, "I/N: every N-th of --problems, from the I-th on")
      .needs(problems);
  command.group("Output");
  command.option("--rows,--top", options->rows, "Rows to show")
      .in_range(std::size_t{1}, std::size_t{1} << 20);
  command.flag("--all", options->all,
               "Every raster and number of stages, not the best of each schedule and tile");
  command.flag("--wide", options->wide, "Every column, and configurations in long form");
  command.flag("--verbose,--rejected", options->verbose,
               "The search on standard error: candidates, rejected ones with examples");
  command.option("--data", options->data, "Measurements to show next to the predictions");
  const Option format =
      command
          .option("--format", options->format,
                  "table, json, csv, cutlass (a test list for its profiler); of --problems jsonl")
          .one_of({"table", "json", "csv", "jsonl", "cutlass"});
  command.group("Model");
  command
      .option("--method", options->method,
              "simulated (GEMMs): the best by closed form are simulated; analytic: closed forms")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command
      .option("--simulate", options->simulations,
              "Candidates to simulate of each schedule that could be first (default 1 to 8)")
      .in_range(1, 4096);
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command.examples({"predict 4096x4096x4096 --dtype bf16",
                    "predict 4096x7168 --experts 8 --tokens 512 --dtype fp8 --scales block",
                    "predict 16x4096x4096 --gpu h100 --config 'pingpong 64x128'"});
  command.runs([options, many, format] {
    options->take_shape();
    if (!many->problems.empty()) {
      run_many(*options, *many, format.given());
      return;
    }
    for (std::vector<std::string>* values : {&options->gpus, &options->schedules, &options->data}) {
      give_back_shape(options->shape, *values);
    }
    run_predict(*options);
  });
}

}  // namespace tilecast
