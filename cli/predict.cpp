// tilecast predict: ranked schedules and tilings for a problem.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/cutlass_output.h"
#include "cli/predict_many.h"
#include "cli/predict_output.h"
#include "model/base/error.h"
#include "model/predict/on_card.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "validate/record/measurement_csv.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

struct PredictOptions {
  std::string shape, op = "gemm", gpu = "h200_sxm", dtype = "fp16", layout = "tn", regime = "burst",
                     inputs = "normal", format = "table";
  std::optional<std::string> config, method, card;
  std::vector<std::string> schedules, data;
  i64 top = 10;
  std::optional<std::size_t> simulations;
  unsigned threads = 0;
  bool no_calibration = false, layout_given = false;
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
  MeasuredByConfig by_config;
  for (const VerifiedRow& row : verified_rows(files)) {
    const Measurement& m = row.measurement();
    const bool of_gpu = m.context.gpu == gpu.name || m.context.gpu == gpu.product;
    if (of_gpu && problem_of(m.point) == problem && m.point.regime == regime &&
        m.point.inputs == inputs && m.point.l2_state == L2State::kRotating) {
      by_config.insert_or_assign(m.point.config, m);
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

void run_predict(const PredictOptions& options) {
  if (options.shape.empty()) {
    throw ConfigError("expected SHAPE, or --problems FILE");
  }
  const Op op = parse_op(options.op);
  if (options.config && !options.schedules.empty()) {
    throw ConfigError("--config names its schedule itself: leave --schedule out");
  }
  const AnyProblem problem = parse_problem(op, options.shape, parse_element_type(options.dtype),
                                           parse_layout(options.layout));
  if (op != Op::kGemm && options.layout_given) {
    throw ConfigError(fmt::format("--layout applies only to gemm, not to {}", options.op));
  }
  const Regime regime = parse_regime(options.regime);
  const Inputs inputs = parse_inputs(options.inputs);
  const Method method = options.method ? parse_method(*options.method) : default_method(op);
  std::vector<AnySchedule> schedules;
  for (const std::string& name : options.schedules) {
    schedules.push_back(parse_schedule(op, name));
  }
  const std::optional<ConfigPattern> config =
      options.config ? std::optional<ConfigPattern>(*options.config) : std::nullopt;
  const LoadedGpu gpu = load_gpu(options.gpu, !options.no_calibration);
  const bool cutlass = options.format == "cutlass";
  if (cutlass && schedules.empty() && op == Op::kGemm) {
    schedules = cutlass_schedules();
  }
  const std::size_t top = static_cast<std::size_t>(options.top);
  const std::size_t keep = cutlass ? std::max(top, kLookedAtForCutlass) : top;
  const Effort effort{
      .method = method, .simulations = options.simulations, .threads = options.threads};

  const MeasuredByConfig measured = read_measured(options, gpu.spec, problem, regime, inputs);
  const auto start = std::chrono::steady_clock::now();
  Ranking ranking =
      config ? rank_matching(gpu.spec, problem, *config, regime, inputs, keep, effort)
             : rank_candidates(gpu.spec, problem, schedules, regime, inputs, keep, effort);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (const std::optional<Cards> cards = cards_of(gpu, options.card)) {
    on_cards(gpu.spec, *cards, options.card, ranking);
  }

  if (cutlass) {
    print_cutlass(ranking, top);
    return;
  }
  const RankingReport report{gpu, ranking, top, Seconds{elapsed.count()}, measured};
  fmt::print("{}", options.format.starts_with("json") ? ranking_json(report)
                   : options.format == "csv"          ? ranking_csv(report)
                                                      : ranking_table(report));
}

}  // namespace

void add_predict(Program& program) {
  const Command command =
      program.command("predict", "Ranked schedules and tilings for a problem, CPU only");
  const auto options = std::make_shared<PredictOptions>();
  const Option shape = command.option(
      "SHAPE", options->shape,
      "MxNxK, such as 4096x4096x4096; ROWSxCOLUMNS for elementwise_add; elements for memcpy");
  command.option("--op", options->op, "gemm, memcpy or elementwise_add");
  command.option("--gpu", options->gpu, "A name in configs/gpus, or a path");
  command.option("--dtype", options->dtype, "fp16, bf16; fp32 too for memcpy and elementwise_add");
  const Option layout =
      command.option("--layout", options->layout, "GEMMs only. tn: B is [N,K]; nn: B is [K,N]");
  command.option("--regime", options->regime, "burst or sustained");
  command.option("--inputs", options->inputs, "normal, uniform, ternary or zeros");
  command
      .option("--method", options->method,
              "simulated: the best by closed form are simulated, as GEMMs are by default; "
              "analytic: closed forms alone, as memory-bound kernels are by default")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command
      .option("--simulate", options->simulations,
              "Of each schedule that could be first, how many of the best by closed form are "
              "simulated; by default 1 to 4, fewer of large kernels")
      .in_range(1, 4096);
  command.option("--schedule", options->schedules, "Only these schedules");
  const Option top =
      command.option("--top", options->top, "Rows to show").in_range(i64{1}, i64{1} << 20);
  command.option(
      "--config", options->config,
      "Only this configuration, in its long or short form, or those that match where it is given "
      "in part: ws:tile=128x256x64");
  command.option("--data", options->data, "Measurements to show beside the predictions");
  command
      .option("--format", options->format,
              "table, json, csv, cutlass: a test list for its "
              "profiler, or of --problems jsonl")
      .one_of({"table", "json", "csv", "jsonl", "cutlass"});
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command.option("--card", options->card,
                 "For this card of those that were measured, by UUID; else the interval is of "
                 "any card of the kind");
  const auto many = std::make_shared<ManyOptions>();
  const Option problems = command.option(
      "--problems", many->problems,
      "Many problems in the place of SHAPE, a line each: shapes with ranges, JSON or CSV, or one "
      "JSON list, such as CUTLASS's heuristics take; a file, or - for standard input. Answers with "
      "--top rows each, default 1, as jsonl, csv or cutlass");
  problems.excludes(shape);
  command.option("--shard", many->shard, "I/N: every N-th of --problems, from the I-th on")
      .needs(problems);
  command.runs([options, many, layout, top] {
    options->layout_given = layout.given();
    if (many->problems.empty()) {
      run_predict(*options);
      return;
    }
    if (options->config || !options->data.empty()) {
      throw ConfigError("--problems goes with neither --config nor --data");
    }
    many->format = options->format;
    many->gpu = options->gpu;
    many->defaults = {options->op, options->dtype, options->layout, options->regime,
                      options->inputs};
    many->method = options->method;
    many->card = options->card;
    many->schedules = options->schedules;
    many->top = top.given() ? static_cast<std::size_t>(options->top) : 1;
    many->threads = options->threads;
    many->use_calibration = !options->no_calibration;
    predict_many(*many);
  });
}

}  // namespace tilecast
