// tilecast explain: explains the time of configurations of a problem.

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "cli/commands.h"
#include "cli/explain_output.h"
#include "cli/file_plan.h"
#include "cli/output_parts.h"
#include "cli/predict_output.h"
#include "cli/problem_options.h"
#include "cli/question.h"
#include "cli/say.h"
#include "cli/waiting.h"
#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/explain.h"
#include "model/predict/rejected.h"
#include "model/rank/retime.h"
#include "model/spec/load_gpu.h"
#include "validate/record/flash_attention_rule.h"

namespace tilecast {
namespace {

/// Simulates again without skipping steady waves, because a timeline must show them.
void write_trace(const std::string& path, const GpuSpec& gpu, const AnyProblem& problem,
                 const Prediction& kernel) {
  if (kernel.method != Method::kSimulated) {
    throw ConfigError(
        fmt::format("--trace {}: {} is not simulated, and only a simulation has a timeline", path,
                    to_text(kernel.config)));
  }
  write_file(path, chrome_trace(timeline(gpu, std::get<GemmProblem>(problem),
                                         std::get<KernelConfig>(kernel.config), kernel.sm_clock)));
}

}  // namespace

void run_explain(const Arguments& args) {
  const std::string trace = args.text("--trace");
  const bool compares = !args.given("--no-best");
  if (!trace.empty() && args.texts("--config").size() > 1) {
    throw ConfigError("--trace writes the timeline of one configuration: give one --config");
  }
  constexpr std::size_t kMostInText = 3;
  if (args.texts("--config").size() > kMostInText && args.text("--format") == "table" &&
      !args.given("--details")) {
    throw ConfigError(fmt::format(
        "explain shows up to {} configurations; --details shows more, predict --configs FILE ranks "
        "them",
        kMostInText));
  }
  FilePlan plan;
  plan.reads("--gpu", files_of_gpu(args.text("--gpu")));
  plan.writes("--trace", trace);
  plan.check();
  require_new(trace, args.given("--replace"));
  std::vector<ConfigPattern> configs;
  for (const std::string& text : args.texts("--config")) {
    configs.emplace_back(text);
  }
  const LoadedGpu gpu = load_asked_gpu(args.text("--gpu"), !args.given("--no-calibration"));

  const Question question = question_of(args, gpu.spec);
  const auto& [regime, inputs, effort] =
      std::tie(question.regime, question.inputs, question.effort);
  std::optional<Waiting> waiting(std::in_place,
                                 fmt::format("{} on {}", asked_shape(args), gpu.spec.name));
  const auto start = std::chrono::steady_clock::now();
  std::optional<Ranking> searched;
  if (configs.empty() || compares) {
    Question all = question;
    all.config.reset();
    searched = rank(all, gpu.spec, 1);
  }
  const AnyProblem& problem = searched ? searched->problem : question.problem;
  ExplainReport report{gpu, problem, regime, inputs, {}, {}, {}, question.draws.size()};
  for (const ConfigPattern& config : configs) {
    report.kernels.push_back(explain_best(gpu.spec, problem, config, regime, inputs, effort));
  }
  // With the ranking's time, which may be an estimate or a mean over routings, so that predict and
  // explain agree.
  const auto explained = [&](const Prediction& p) {
    Explanation e = explain(gpu.spec, problem, p.config, regime, inputs, effort);
    stretch(p.time / e.predicted.time, e.predicted);
    return e;
  };
  if (searched) {
    const Ranking& ranking = *searched;
    report.best = explained(ranking.predictions.front());
    const auto add = [&](const Prediction& p, const char* role) {
      report.kernels.push_back(explained(p));
      const bool estimate = p.method != report.kernels.back().predicted.method;
      report.roles.push_back(std::string(role) + (estimate ? ", estimated" : ""));
    };
    const bool others = configs.empty() && compares;
    const std::string tile = tile_text(ranking.predictions.front().config);
    const auto other = std::ranges::find_if(
        ranking.by_tile, [&](const Prediction& p) { return tile_text(p.config) != tile; });
    if (others && other != ranking.by_tile.end()) {
      add(*other, "best other tile");
    }
    const std::optional<PublishedChoice> published = published_choice(problem, gpu.spec.sm.count);
    if (published && others && why_not_legal(gpu.spec, problem, published->config).empty()) {
      report.kernels.push_back(
          explain(gpu.spec, problem, published->config, regime, inputs, effort));
      const std::string kernel = kernel_text(published->config);  // its options distinguish it
      report.roles.push_back(fmt::format(
          "{} ({})", published->rule, kernel.substr(kernel.find(", ", kernel.find("tile ")) + 2)));
    }
    const auto is_new = [&](const Prediction& p) {
      return p.config != ranking.predictions.front().config &&
             (other == ranking.by_tile.end() || p.config != other->config);
    };
    if (others && ranking.counterpart && is_new(*ranking.counterpart)) {
      add(*ranking.counterpart, "best that CUTLASS offers");
    }
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  report.elapsed = {elapsed.count()};
  if (!trace.empty()) {
    const Explanation& traced = configs.empty() ? *report.best : report.kernels.front();
    waiting.emplace(fmt::format("simulating every wave of {} for {}", asked_shape(args), trace));
    write_trace(trace, gpu.spec, problem, traced.predicted);
    say("{}: timeline for Perfetto", trace);
  }
  waiting.reset();
  const std::string format = args.text("--format");
  fmt::print("{}", format == "json"          ? json_text(explain_json(report), 2)
                   : format == "jsonl"       ? json_text(explain_json(report))
                   : format == "csv"         ? explain_csv(report)
                   : args.given("--details") ? explain_details(report)
                                             : explain_text(report));
}

}  // namespace tilecast
