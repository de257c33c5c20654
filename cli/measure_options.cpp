#include "cli/measure_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "cli/budget.h"
#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/measure_answer.h"
#include "cli/problem_options.h"
#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/spec/load_gpu.h"
#include "validate/plan/work_plan.h"
#include "validate/record/point_list.h"

namespace tilecast {
namespace {

std::vector<SuitePoint> points_of_command_line(const MeasureOptions& options, const GpuSpec& gpu,
                                               std::vector<Prediction>& predicted) {
  const AnyProblem& problem = options.problem.value();
  predicted = kernels_to_measure(options, gpu, problem);
  std::vector<std::string> configs;
  for (const Prediction& p : predicted) {
    configs.push_back(to_text(p.config));
  }
  std::ranges::copy_if(options.configs, std::back_inserter(configs), is_baseline);
  for (const Baseline& baseline : kBaselines) {
    if (options.configs.empty() && baseline.usual &&
        why_not_measurable(gpu, problem, std::string(baseline.config)).empty()) {
      configs.emplace_back(baseline.config);
    }
  }
  std::vector<SuitePoint> points;
  for (const std::string& config : configs) {
    if (const std::string why = why_not_measurable(gpu, problem, config); !why.empty()) {
      throw ConfigError(fmt::format("{} on {}: {}", config, options.shape, why));
    }
    Point point{.problem = problem, .config = config};
    point.regime = parse_regime(options.regime);
    point.inputs = parse_inputs(options.inputs);
    point.l2_state = parse_l2_state(options.l2);
    if (const std::string why = why_not_timed(point.regime, point.l2_state); !why.empty()) {
      throw ConfigError(fmt::format("--l2 {}: {}", options.l2, why));
    }
    points.push_back({point, "", is_baseline(config) ? "" : "named"});
  }
  return points;
}

void check_options(const MeasureOptions& options) {
  refuse_if(options.out.empty(),
            "expected --out CSV: only the result for a single SHAPE can be printed instead");
  FilePlan plan;
  plan.reads("--gpu", files_of_gpu(options.gpu));
  plan.reads("--suite", options.suites);
  plan.reads("--points", options.points);
  plan.writes("--out", options.out);
  plan.check();
  if (!options.budget.empty()) {
    (void)parse_budget(options.budget);
  }
}

/// The rows have the fields of the plan, so no option may contradict them.
MeasurePlan points_of_shard(MeasureOptions& options, const GpuSpec& gpu) {
  const Shard shard = options.shard.empty() ? Shard{} : parse_shard(options.shard);
  const WorkPlan plan = read_plan(options.plan);
  refuse_if(plan.gpu != gpu.name, "{}: this plan is for {}, not for --gpu {}", options.plan,
            plan.gpu, gpu.name);
  if (options.out.empty()) {
    options.out = shard_file(options.plan, shard).string();
  }
  check_options(options);
  return plan_of_shard(gpu, plan, shard);
}

}  // namespace

MeasureOptions measure_options(const Arguments& args) {
  MeasureOptions options{.gpu = args.text("--gpu"),
                         .out = args.text("--out"),
                         .counters = args.text("--counters"),
                         .regime = args.text("--regime"),
                         .inputs = args.text("--inputs"),
                         .l2 = args.text("--l2"),
                         .budget = args.text("--budget"),
                         .plan = args.text("--plan"),
                         .shard = args.text("--shard"),
                         .devices = args.text("--devices"),
                         .shape = asked_shape(args),
                         .suites = args.texts("--suite"),
                         .points = args.texts("--points"),
                         .configs = args.texts("--config"),
                         .problem = {},
                         .seed = args.number_if_any("--seed"),
                         .rounds = args.number("--rounds"),
                         .window_ms = args.number("--window"),
                         .regime_given = args.given("--regime"),
                         .resume = args.given("--resume")};
  if (options.of_shape() && !options.shape.empty()) {
    options.problem = asked_problem(args);
  }
  return options;
}

MeasurePlan points_of_files(const MeasureOptions& options, const GpuSpec& gpu) {
  MeasurePlan plan;
  for (const std::string& file : options.suites) {
    const Suite suite = load_suite(file);
    plan.counters = std::max(plan.counters, suite.counters);
    SuitePoints expanded = expand_suite(suite, gpu);
    for (const std::string& note : expanded.notes) {
      say("{}: {}", file, note);
    }
    plan.points.insert(plan.points.end(), expanded.points.begin(), expanded.points.end());
  }
  const std::optional<Regime> regime =
      options.regime_given ? std::optional(parse_regime(options.regime)) : std::nullopt;
  for (const std::string& file : options.points) {
    const std::vector<SuitePoint> listed = listed_points(gpu, read_point_list(file), regime);
    plan.points.insert(plan.points.end(), listed.begin(), listed.end());
  }
  if (!options.counters.empty()) {
    plan.counters = parse_counter_choice(options.counters);
  }
  return plan;
}

MeasurePlan plan_measure(MeasureOptions& options, const GpuSpec& gpu,
                         std::vector<Prediction>& predicted) {
  if (!options.plan.empty()) {
    return points_of_shard(options, gpu);
  }
  check_options(options);
  MeasurePlan plan = points_of_files(options, gpu);
  if (options.suites.empty() && options.points.empty()) {
    refuse_if(options.shape.empty(), "expected a SHAPE, --suite FILE, --points CSV or --plan FILE");
    plan.points = points_of_command_line(options, gpu, predicted);
  }
  return plan;
}

}  // namespace tilecast
