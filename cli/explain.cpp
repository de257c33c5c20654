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
#include "cli/problem_options.h"
#include "cli/waiting.h"
#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/best_per.h"
#include "model/predict/explain.h"
#include "model/spec/load_gpu.h"

namespace tilecast {
namespace {

struct ExplainOptions : ProblemOptions {
  std::string gpu = "h200_sxm", regime = "burst", inputs = "normal", format = "table", trace;
  std::optional<std::string> method;
  std::vector<std::string> configs;
  unsigned threads = 0;
  bool no_best = false, no_calibration = false;
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
  const LoadedGpu gpu = load_gpu(options.gpu, !options.no_calibration);

  std::optional<Waiting> waiting(std::in_place,
                                 fmt::format("{} on {}", options.shape, gpu.spec.name));
  const auto start = std::chrono::steady_clock::now();
  ExplainReport report{gpu, problem, regime, inputs, {}, false, {}, {}};
  for (const ConfigPattern& config : configs) {
    report.kernels.push_back(explain_best(gpu.spec, problem, config, regime, inputs, effort));
  }
  const auto explained = [&](const Prediction& p) {
    return explain(gpu.spec, problem, p.config, regime, inputs, effort);
  };
  if (configs.empty() && !options.no_best) {
    const Ranking ranking = best_per_schedule(gpu.spec, problem, {}, regime, inputs, effort);
    report.best = explained(ranking.predictions.front());
    if (ranking.predictions.size() > 1) {
      report.kernels.push_back(explained(ranking.predictions[1]));
      report.is_runner_up = true;
    }
  } else if (configs.empty() || !options.no_best) {
    const Ranking ranking = rank_candidates(gpu.spec, problem, {}, regime, inputs, 1, effort);
    report.best = explained(ranking.predictions.front());
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.elapsed = {elapsed.count()};
  waiting.reset();

  if (!options.trace.empty()) {
    const Explanation& traced = configs.empty() ? *report.best : report.kernels.front();
    write_trace(options, gpu.spec, problem, traced.predicted);
  }
  fmt::print("{}", options.format == "json"
                       ? explain_json(report).dump(2, ' ', false,
                                                   nlohmann::json::error_handler_t::replace) +
                             "\n"
                       : explain_table(report));
}

}  // namespace

void add_explain(Program& program) {
  const Command command =
      program.command("explain", "What limits a configuration, and why the best one is faster");
  const auto options = std::make_shared<ExplainOptions>();
  command
      .option(
          "SHAPE", options->shape,
          "MxNxK, such as 4096x4096x4096; ROWSxCOLUMNS for elementwise_add; elements for memcpy")
      .required();
  command.option("--config", options->configs,
                 "A configuration, whole or partial; several are compared side by side. Default: "
                 "the best of all and the best of another schedule");
  command.option("--op", options->op, "gemm, memcpy or elementwise_add");
  command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  add_problem_options(command, *options);
  add_routing_options(command, *options);
  command.option("--regime", options->regime, "burst or sustained");
  command.option("--inputs", options->inputs, "normal, uniform, ternary or zeros");
  command
      .option("--method", options->method,
              "simulated, the default for GEMMs; or analytic: closed forms, the only method for "
              "copies and additions")
      .one_of({"analytic", "simulated"});
  command.option("--threads", options->threads, "For simulations; 0: one for each processor")
      .in_range(0u, 1024u);
  command.flag("--no-best", options->no_best,
               "Compare --config with nothing; without --config explain the best alone");
  command.option("--trace", options->trace,
                 "Write the simulated timeline of the one --config, or of the best, to this file, "
                 "for Perfetto, "
                 "as measure --trace does; its folder is made if missing");
  command.option("--format", options->format, "table or json").one_of({"table", "json"});
  command.flag("--no-calibration", options->no_calibration, "Ignore the GPU's calibration");
  command.runs([options] { run_explain(*options); });
}

}  // namespace tilecast
