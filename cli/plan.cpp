// tilecast plan: what suites stand for, as a numbered list that `measure --plan --shard I/N` shares
// out to any number of processes.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/measure_options.h"
#include "cli/waiting.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/shown_text.h"
#include "model/spec/load_gpu.h"
#include "validate/plan/make_plan.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

void run_plan(MeasureOptions& options, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const bool list = file.ends_with(".csv") || file.ends_with(".csv.gz");
    (list ? options.points : options.suites).push_back(file);
  }
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  std::optional<Waiting> waiting(std::in_place, "planning " + options.out);
  const auto [points, counters] = plan_measure(options, gpu.spec);
  const WorkPlan plan = make_plan(points, gpu.spec, counters);
  waiting.reset();
  if (plan.points.empty()) {
    throw ConfigError(
        fmt::format("none of {} points can be measured on {}", points.size(), gpu.spec.name));
  }
  write_file(options.out, plan_text(plan));
  fmt::print(stderr, "{}: {}, expected to take one GPU {}; content {}; {} left out\n", options.out,
             counted(plan.points.size(), "point"),
             clock_text(expected_time(plan, {0, plan.points.size()})), content_hash(plan),
             points.size() - plan.points.size());
}

}  // namespace

void add_plan(Program& program) {
  const Command command = program.command(
      "plan", "Write a numbered list of points to measure, for `measure --plan --shard I/N`");
  const auto options = std::make_shared<MeasureOptions>();
  const auto files = std::make_shared<std::vector<std::string>>();
  command.option("SUITE", *files, "Suite YAML, or points as CSV; several are joined in order")
      .required();
  command.option("--gpu", options->gpu, "GPU name (`tilecast gpus`), or a path to a GPU file");
  command.option("--out", options->out, "Plan to write, a CSV").required();
  const auto regime = std::make_shared<std::optional<std::string>>();
  command.option("--regime", *regime, "burst or sustained, of points that come as CSV");
  command.option("--counters", options->counters,
                 "none, core or full; default none, or what the suites say");
  command.runs([options, files, regime] {
    options->regime_given = regime->has_value();
    options->regime = regime->value_or(options->regime);
    run_plan(*options, *files);
  });
}

}  // namespace tilecast
