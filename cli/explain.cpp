// tilecast explain: why configurations of a problem take the time they take.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/explain_output.h"
#include "cli/file_plan.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_options.h"
#include "cli/waiting.h"
#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/explain.h"
#include "model/predict/rejected.h"
#include "model/spec/load_gpu.h"
#include "validate/record/flash_attention_rule.h"

namespace tilecast {
namespace {

struct ExplainOptions : ProblemOptions {
  std::string gpu = "h200_sxm", regime = "burst", inputs = "normal", format = "table", trace;
  std::optional<std::string> method;
  std::vector<std::string> configs;
  unsigned threads = 0;
  bool no_best = false, no_calibration = false, details = false;
};

/// Simulates once more: the prediction leaves steady waves out, which a timeline shows.
void write_trace(const ExplainOptions& options, const GpuSpec& gpu, const AnyProblem& problem,
                 const Prediction& kernel) {
  if (kernel.method != Method::kSimulated) {
    throw ConfigError(
        fmt::format("--trace {}: {} is not simulated, and only a simulation has a timeline",
                    options.trace, to_text(kernel.config)));
  }
  write_file(options.trace,
             chrome_trace(timeline(gpu, std::get<GemmProblem>(problem),
                                   std::get<KernelConfig>(kernel.config), kernel.sm_clock)));
}

void run_explain(const ExplainOptions& options) {
  if (options.shape.empty()) {
    throw ConfigError("expected SHAPE, such as 4096x4096x4096");
  }
  const AnyProblem problem = options.problem();
  const Regime regime = parse_regime(options.regime);
  const Inputs inputs = parse_inputs(options.inputs);
  const Effort effort{
      .method = options.method ? parse_method(*options.method) : default_method(op_of(problem)),
      .threads = options.threads};
  if (!options.trace.empty() && options.configs.size() > 1) {
    throw ConfigError("--trace writes the timeline of one configuration: give one --config");
  }
  FilePlan plan;
  plan.reads("--gpu", files_of_gpu(options.gpu));
  plan.writes("--trace", options.trace);
  plan.check();
  std::vector<ConfigPattern> configs;
  for (const std::string& text : options.configs) {
    configs.emplace_back(text);
  }
  const LoadedGpu gpu = load_asked_gpu(options.gpu, !options.no_calibration);

  std::optional<Waiting> waiting(std::in_place,
                                 fmt::format("{} on {}", options.shape, gpu.spec.name));
  const auto start = std::chrono::steady_clock::now();
  ExplainReport report{gpu, problem, regime, inputs, {}, {}, {}};
  for (const ConfigPattern& config : configs) {
    report.kernels.push_back(explain_best(gpu.spec, problem, config, regime, inputs, effort));
  }
  const auto explained = [&](const Prediction& p) {
    return explain(gpu.spec, problem, p.config, regime, inputs, effort);
  };
  if (configs.empty() || !options.no_best) {
    Effort with_rivals = effort;
    if (configs.empty() && !options.no_best) {
      with_rivals.shortlist = shown_shortlist(problem);
    }
    const Ranking ranking = rank_candidates(gpu.spec, problem, {}, regime, inputs, 1, with_rivals);
    report.best = explained(ranking.predictions.front());
    const auto add = [&](const Prediction& p, const char* role) {
      report.kernels.push_back(explained(p));
      report.roles.emplace_back(role);
    };
    const std::string tile = tile_text(ranking.predictions.front().config);
    const auto other = std::ranges::find_if(
        ranking.by_tile, [&](const Prediction& p) { return tile_text(p.config) != tile; });
    if (other != ranking.by_tile.end()) {
      add(*other, "best of another tile");
    }
    const std::optional<PublishedChoice> published = published_choice(problem, gpu.spec.sm.count);
    if (published && configs.empty() && !options.no_best &&
        why_not_legal(gpu.spec, problem, published->config).empty()) {
      report.kernels.push_back(
          explain(gpu.spec, problem, published->config, regime, inputs, effort));
      report.roles.emplace_back(published->rule);
    }
    const auto is_new = [&](const Prediction& p) {
      return p.config != ranking.predictions.front().config &&
             (other == ranking.by_tile.end() || p.config != other->config);
    };
    if (ranking.counterpart && is_new(*ranking.counterpart)) {
      add(*ranking.counterpart, "best that CUTLASS has");
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.elapsed = {elapsed.count()};
  if (!options.trace.empty()) {
    const Explanation& traced = configs.empty() ? *report.best : report.kernels.front();
    waiting.emplace(
        fmt::format("simulating every wave of {} for {}", options.shape, options.trace));
    write_trace(options, gpu.spec, problem, traced.predicted);
  }
  waiting.reset();
  fmt::print("{}", options.format == "json" ? json_text(explain_json(report), 2)
                   : options.details        ? explain_details(report)
                                            : explain_text(report));
}

}  // namespace

void add_explain(Program& program) {
  const Command command =
      program.command("explain", "What limits a configuration, and why the best one is faster");
  const auto options = std::make_shared<ExplainOptions>();
  command.group("Problem");
  add_shape(command, *options);
  add_problem_options(command, *options);
  command.option("--op", options->op, "gemm, attention, memcpy or elementwise_add");
  command.group("Mixture of experts");
  add_routing_options(command, *options);
  command.group("Machine");
  command.option("--gpu", options->gpu,
                 "GPU: a name or part of one (`tilecast list gpus`), or a path to a GPU file");
  command.option("--regime", options->regime, "burst or sustained");
  command.option("--inputs", options->inputs, "normal, uniform, ternary or zeros");
  command.group("Kernels");
  command.option("--config", options->configs,
                 "A configuration, whole or in part (128x256x64); several are compared. Default: "
                 "the best of another tile, and the best that CUTLASS has");
  command.flag("--no-best", options->no_best,
               "Compare --config with nothing; without --config explain the best alone");
  command.group("Output");
  command.flag("--details", options->details,
               "Every figure of every kernel, phases, and the nearest measured kernels");
  command.option("--trace", options->trace,
                 "Write the simulated timeline of the one --config, or of the best, to this file "
                 "for Perfetto");
  command.option("--format", options->format, "table or json").one_of({"table", "json"});
  command.group("Model");
  command
      .option("--method", options->method,
              "simulated (GEMMs), or analytic: closed forms, the only method for copies and "
              "additions")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command.examples({"explain 4096x4096x4096 --dtype bf16",
                    "explain 4096x4096x4096 --config 'cooperative 128x256' pingpong"});
  command.runs([options] {
    options->take_shape();
    give_back_shape(options->shape, options->configs);
    run_explain(*options);
  });
}

}  // namespace tilecast
