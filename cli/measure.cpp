// tilecast measure: time kernels on this machine's GPU, into a measurement CSV. Plans the points
// (cli/measure_plan.h), compiles ahead (cli/measure_compile.h), holds the GPU and starts the run
// (cli/measure_run.h).

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/commands.h"
#include "cli/gpu_timeline.h"
#include "cli/measure_bench.h"
#include "cli/measure_compile.h"
#include "cli/measure_counters.h"
#include "cli/measure_order.h"
#include "cli/measure_plan.h"
#include "cli/measure_progress.h"
#include "cli/measure_run.h"
#include "kernels/jit/compile.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "validate/compare/pair_rounds.h"
#include "validate/compare/roofline.h"
#include "validate/measure/gpu_lock.h"
#include "validate/record/measurement_appender.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

void report(const MeasureOptions& options, const RunOutcome& outcome, std::size_t points) {
  std::string summary;
  for (const auto& [status, number] : outcome.counts) {
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", number, status);
  }
  const auto has = [&](const char* status) { return outcome.counts.contains(status); };
  if (outcome.code == ExitCode::kPartial) {
    throw Error(outcome.code,
                fmt::format("stopped by --budget {} with {} of {} in {} ({}); continue with "
                            "--resume",
                            options.budget, outcome.finished, counted(points, "point"), options.out,
                            summary.empty() ? "none" : summary));
  }
  if (has("wrong") || has("failed")) {
    throw Error(has("wrong") ? ExitCode::kWrong : ExitCode::kPartial,
                fmt::format("{}: {}; its column `reason` says why", options.out, summary));
  }
  fmt::print(stderr, "{}: {} in {}, {:.1f} points/s\n", options.out, summary,
             clock_text(outcome.took), static_cast<double>(outcome.finished) / outcome.took.value);
}

/// What comes first, and what is left to do of it.
std::vector<RunPoint> ordered(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                              u64 seed, const std::function<Seconds(const Point&)>& kernel_time,
                              const MeasurementAppender& file) {
  const auto done = [&](const Point& point) { return file.rows_of(point); };
  std::vector<RunPoint> run = in_rounds(shuffled_in_problems(points, seed), options.rounds, done);
  if (options.budget.empty()) {
    return run;
  }
  const Seconds budget{static_cast<double>(parse_budget(options.budget).count())};
  const Seconds needed = RunCosts(run, kernel_time).expected_from(0);
  if (needed <= budget) {
    return run;
  }
  fmt::print(stderr,
             "{} expected to take {}, more than --budget {}: the most informative come "
             "first\n",
             counted(run.size(), "point"), clock_text(needed), options.budget);
  return in_rounds(telling_first(points, seed), options.rounds, done);
}

/// How rounds came out: each configuration beside the first one of its problem.
void print_pairs(const MeasureOptions& options) {
  for (const PairedConfigs& pair : pair_rounds(read_measurements(options.out))) {
    fmt::print("{}\n", to_text(pair));
  }
}

/// The rows of `points`. The lock is held by the caller.
void measure_points(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                    const GpuSpec& gpu, const CounterRequest& counters) {
  const u64 seed = options.seed.value_or(std::random_device()());
  const auto kernel_time = [&](const Point& point) {
    static const AnyConfig kAnyConfig = KernelConfig{.tiling = {.block_m = 128, .block_n = 128}};
    return roofline_time(gpu, problem_of(point), kAnyConfig).value_or(Seconds{0});
  };
  std::vector<RunPoint> run;
  {
    const MeasurementAppender file(options.out, counters.metrics,
                                   options.resume ? IfExists::kResume : IfExists::kRefuse);
    run = ordered(options, points, seed, kernel_time, file);
  }
  if (run.empty()) {
    fmt::print(stderr, "{}: nothing to add\n", options.out);
    return;
  }
  fmt::print(stderr, "{}, order by --seed {}\n", counted(run.size(), "point"), seed);
  RunSettings settings{
      .out = options.out,
      .counters = counters.metrics,
      .context = {.gpu = gpu.name, .toolkit = nvrtc_version(), .git = TILECAST_GIT_REVISION},
      .order_seed = seed,
      .deadline = {},
      .make_bench = [&] { return make_laboratory_bench(gpu, counters, options.phases); }};
  if (!options.budget.empty()) {
    settings.deadline = Clock::now() + parse_budget(options.budget);
  }
  const RunOutcome outcome = run_points(settings, run, RunCosts(run, kernel_time));
  if (options.rounds > 1) {
    print_pairs(options);
  }
  report(options, outcome, run.size());
}

/// --trace: of one kernel, once its row is in the file. The children have left the GPU by then.
void trace_point(const Point& point, const std::string& file) {
  write_timeline(point.problem, parse_kernel_config(point.config), point.inputs, file, "");
}

void run_measure(const MeasureOptions& options) {
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  const auto [points, choice] = plan_measure(options, gpu.spec);
  if (options.prepare) {
    compile_only(points);
    return;
  }
  const DeviceFound device = look_for_device();
  const GpuLock lock(device.uuid, "tilecast measure --out " + options.out);
  compile_all(points);
  if (!options.pm_sampling.empty()) {
    sample_point(points, device.chip, options.pm_sampling);
    return;
  }
  measure_points(options, points, gpu.spec, request_counters(choice, device.chip));
  if (!options.trace.empty()) {
    trace_point(points.front().point, options.trace);
  }
}

}  // namespace

void add_measure(CLI::App& app) {
  CLI::App* command = app.add_subcommand("measure", "Time kernels on this machine's GPU");
  const auto options = std::make_shared<MeasureOptions>();
  CLI::Option* shape = command->add_option("SHAPE", options->shape,
                                           "MxNxK, ROWSxCOLUMNS or elements, with --config");
  CLI::Option* suite =
      command->add_option("--suite", options->suites, "YAML file of what to measure; repeatable");
  command->add_option("--points", options->points,
                      "The points of a CSV, such as another run's rows or what `tilecast suite` "
                      "lists; repeatable");
  CLI::Option* config = command->add_option(
      "--config", options->configs,
      "Configuration, or cublaslt:top1, cublaslt:best, cudart:memcpy_async; repeatable");
  command->add_option("--op", options->op, "gemm, memcpy or elementwise_add")
      ->capture_default_str()
      ->excludes(suite);
  shape->excludes(suite);
  config->excludes(suite);
  command->add_option("--gpu", options->gpu, "A name in configs/gpus, or a path")
      ->capture_default_str();
  command->add_option("--out", options->out, "CSV file to write");
  command->add_option("--counters", options->counters,
                      "Hardware counters of each point, after its timing: none, core or full; "
                      "default none, or what the suite says");
  command
      ->add_option("--pm-sampling", options->pm_sampling,
                   "Instead of rows, the chip's activity every 10 us while one configuration runs: "
                   "CSV file to write")
      ->excludes(suite);
  CLI::Option* regime =
      command
          ->add_option("--regime", options->regime, "burst or sustained; of --points too, if given")
          ->capture_default_str()
          ->excludes(suite);
  command->add_option("--inputs", options->inputs, "normal, uniform, ternary or zeros")
      ->capture_default_str()
      ->excludes(suite);
  command
      ->add_option("--dtype", options->dtype, "fp16, bf16; fp32 too for memcpy and elementwise_add")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--layout", options->layout, "tn: B is [N,K]; nn: B is [K,N]")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--l2", options->l2, "What L2 holds before a launch: rotating, flushed, warm")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option(
      "--budget", options->budget,
      "Stop in time: 90s, 10m, 1h; where it is short the most informative points come first");
  command->add_option("--seed", options->seed,
                      "Of the order of the points in a problem; default another one each time");
  command
      ->add_option("--rounds", options->rounds,
                   "Measure the whole list so many times, one row each, every second time "
                   "backwards; prints each configuration beside the first")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--trace", options->trace,
                      "Timeline of the one kernel as Chrome trace JSON, for Perfetto");
  command->add_flag("--resume", options->resume, "Add what --out does not have yet");
  command->add_flag("--phases", options->phases, "Say at the end where the time went");
  command->add_flag("--prepare", options->prepare,
                    "Only compile the kernels into the cache; needs no GPU");
  command->callback([options, regime] {
    options->regime_given = regime->count() > 0;
    run_measure(*options);
  });
}

}  // namespace tilecast
