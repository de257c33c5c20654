// tilecast measure: time kernels on this machine's GPU, into a measurement CSV. Plans the points,
// compiles ahead, holds the GPU and starts the run (cli/measure_run.h).

#include <fmt/format.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/measure_order.h"
#include "cli/measure_progress.h"
#include "cli/measure_run.h"
#include "cli/suite.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "validate/compare/pair_rounds.h"
#include "validate/compare/roofline.h"
#include "validate/measure/gpu_lock.h"
#include "validate/measure/laboratory.h"
#include "validate/measure/supervisor.h"
#include "validate/record/measurement_appender.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

struct MeasureOptions {
  std::string shape, gpu = "h200_sxm", out, counters = "none", regime = "burst", inputs = "normal",
                     dtype = "fp16", layout = "tn", l2 = "rotating", budget;
  std::vector<std::string> suites, configs;
  std::optional<u64> seed;
  i64 rounds = 1;
  bool resume = false, prepare = false, phases = false;
};

/// "90", "90s", "10m" or "1h".
std::chrono::seconds parse_budget(const std::string& text) {
  constexpr i64 kLongest = 100'000;
  std::string_view number = text;
  i64 unit = 1;
  for (const auto& [letter, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3600}}) {
    if (!number.empty() && number.back() == letter) {
      unit = seconds;
      number.remove_suffix(1);
      break;
    }
  }
  const std::optional<i64> count = parse_integer(number);
  if (!count || *count < 1 || *count > kLongest) {
    throw ConfigError(fmt::format("--budget '{}': expected a time such as 90s, 10m or 1h", text));
  }
  return std::chrono::seconds(*count * unit);
}

std::vector<SuitePoint> points_of_command_line(const MeasureOptions& options, const GpuSpec& gpu) {
  const GemmProblem problem{parse_gemm_shape(options.shape), parse_element_type(options.dtype),
                            parse_layout(options.layout)};
  std::vector<SuitePoint> points;
  for (const std::string& given : options.configs) {
    const std::string config = given == kCublasltTop1 || given == kCublasltBest
                                   ? given
                                   : to_text(parse_kernel_config(given));
    if (const std::string why = why_not_measurable(gpu, problem, config); !why.empty()) {
      throw ConfigError(fmt::format("{} on {}: {}", config, options.shape, why));
    }
    const Point point{.op = Op::kGemm,
                      .problem = problem,
                      .config = config,
                      .regime = parse_regime(options.regime),
                      .inputs = parse_inputs(options.inputs),
                      .l2_state = parse_l2_state(options.l2)};
    if (const std::string why = why_not_timed(point.regime, point.l2_state); !why.empty()) {
      throw ConfigError(fmt::format("--l2 {}: {}", options.l2, why));
    }
    points.push_back({point, ""});
  }
  return points;
}

std::vector<SuitePoint> plan(const MeasureOptions& options, const GpuSpec& gpu) {
  if (options.suites.empty()) {
    if (options.shape.empty() || options.configs.empty()) {
      throw ConfigError("expected --suite FILE, or a SHAPE and --config TEXT");
    }
    return points_of_command_line(options, gpu);
  }
  std::vector<SuitePoint> points;
  for (const std::string& file : options.suites) {
    SuitePoints expanded = expand_suite(load_suite(file), gpu);
    for (const std::string& note : expanded.notes) {
      fmt::print(stderr, "{}: {}\n", file, note);
    }
    points.insert(points.end(), expanded.points.begin(), expanded.points.end());
  }
  return points;
}

std::vector<KernelSource> sources_of(const std::vector<SuitePoint>& points) {
  std::vector<KernelSource> sources = micro_kernel_sources();
  for (const auto& [point, refusal] : points) {
    if (!refusal.empty() || is_cublaslt(point.config)) {
      continue;
    }
    try {
      sources.push_back(gemm_source(parse_kernel_config(point.config), point.problem.dtype,
                                    point.problem.layout));
    } catch (const ConfigError&) {  // its row will say so
    }
  }
  return sources;
}

void prepare_only(const std::vector<SuitePoint>& points) {
  CubinCache cache;
  MeasureProgress progress("compiling");
  const CompileCounts counts =
      compile_ahead(sources_of(points), cache,
                    [&](std::size_t done, std::size_t all) { progress.show(done, all, ""); });
  progress.finish();
  for (const std::string& fault : counts.faults) {
    fmt::print(stderr, "{}\n", fault);
  }
  fmt::print(stderr,
             "{} points, {} kernels: {} compiled now, {} were there, {} rejected, {} failed\n",
             points.size(), counts.kernels, cache.misses() - static_cast<int>(counts.failed),
             cache.hits(), counts.rejected, counts.failed);
}

/// In a child, since this process must stay free of CUDA. Returns the device's UUID.
std::string check_device() {
  std::string uuid;
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   reporter.begin(0);
                   reporter.done(0, device_facts(require_hopper()).uuid);
                   return ExitCode::kDone;
                 },
             .on_started = [](const std::string&) {},
             .on_done = [&](std::size_t, const std::string& text) { uuid = text; },
             .on_lost = [](std::size_t, const std::string& why) { throw DeviceError(why); }});
  return uuid;
}

/// In a child too, since the compiler may fall over.
void compile_all(const std::vector<SuitePoint>& points) {
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   CubinCache cache;
                   MeasureProgress progress("compiling");
                   reporter.begin(0);
                   compile_ahead(sources_of(points), cache, [&](std::size_t done, std::size_t all) {
                     progress.show(done, all, "");
                     reporter.alive();
                   });
                   progress.finish();
                   reporter.done(0, "");
                   return ExitCode::kDone;
                 },
             .on_started = [](const std::string&) {},
             .on_done = [](std::size_t, const std::string&) {},
             .on_lost =
                 [](std::size_t, const std::string& why) {
                   throw Error(ExitCode::kWrong, "compiling ahead: " + why);
                 },
             .task_limit = std::chrono::minutes(5)});
}

/// The laboratory as a run sees it.
class LaboratoryBench : public Bench {
 public:
  LaboratoryBench(const GpuSpec& gpu, bool phases) : phases_(phases) {
    if (laboratory_.device().sm_count != gpu.sm.count) {
      throw ConfigError(fmt::format("--gpu {} has {} SMs, but this machine's {} has {}", gpu.name,
                                    gpu.sm.count, laboratory_.device().name,
                                    laboratory_.device().sm_count));
    }
  }

  std::string gpu_uuid() const override { return laboratory_.facts().uuid; }
  std::string driver() const override { return laboratory_.driver_version(); }
  std::string greeting() const override { return "clocks agree: " + to_text(laboratory_.clocks()); }
  void remember(const Measurement& row) override { laboratory_.remember(row); }
  Measurement measure(const Point& point) override { return laboratory_.measure(point); }
  std::string farewell() const override {
    std::string text;
    for (const auto& [phase, time] : laboratory_.phases().total()) {
      text += fmt::format("{}{} {:.2f} s", text.empty() ? "" : ", ", phase, time.value);
    }
    return phases_ ? text : "";
  }

 private:
  Laboratory laboratory_;
  bool phases_;
};

void report(const MeasureOptions& options, const RunOutcome& outcome, std::size_t points) {
  std::string summary;
  for (const auto& [status, number] : outcome.counts) {
    summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", number, status);
  }
  const auto has = [&](const char* status) { return outcome.counts.contains(status); };
  if (outcome.code == ExitCode::kPartial) {
    throw Error(outcome.code,
                fmt::format("stopped by --budget {} with {} of {} points in {} ({}); go on with "
                            "--resume",
                            options.budget, outcome.finished, points, options.out,
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
             "{} points are expected to take {}, more than --budget {}: what tells most comes "
             "first\n",
             run.size(), clock_text(needed), options.budget);
  return in_rounds(telling_first(points, seed), options.rounds, done);
}

/// How rounds came out: each configuration beside the first one of its problem.
void print_pairs(const MeasureOptions& options) {
  for (const PairedConfigs& pair : pair_rounds(read_measurements(options.out))) {
    fmt::print("{}\n", to_text(pair));
  }
}

void run_measure(const MeasureOptions& options) {
  if (options.counters != "none") {
    throw ConfigError(fmt::format("--counters {}: expected none: counters are not collected yet",
                                  options.counters));
  }
  if (options.out.empty() && !options.prepare) {
    throw ConfigError("expected --out CSV, where the rows go");
  }
  if (!options.budget.empty()) {
    (void)parse_budget(options.budget);
  }
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  if (const std::string why = why_not_schedulable(gpu.spec); !why.empty()) {
    throw ConfigError(why);
  }
  std::vector<SuitePoint> points = plan(options, gpu.spec);
  if (options.prepare) {
    prepare_only(points);
    return;
  }
  const GpuLock lock(check_device(), "tilecast measure --out " + options.out);
  compile_all(points);
  const u64 seed = options.seed.value_or(std::random_device()());
  const auto kernel_time = [&](const Point& point) {
    constexpr Tiling kAnyTile{.block_m = 128, .block_n = 128};
    return roofline_time(gpu.spec, point.problem, kAnyTile).value_or(Seconds{0});
  };
  std::vector<RunPoint> run;
  {
    const MeasurementAppender file(options.out, {},
                                   options.resume ? IfExists::kResume : IfExists::kRefuse);
    run = ordered(options, points, seed, kernel_time, file);
  }
  if (run.empty()) {
    fmt::print(stderr, "{}: nothing to add\n", options.out);
    return;
  }
  fmt::print(stderr, "{} points, order by --seed {}\n", run.size(), seed);
  RunSettings settings{
      .out = options.out,
      .counters = {},
      .context = {.gpu = gpu.spec.name, .toolkit = nvrtc_version(), .git = TILECAST_GIT_REVISION},
      .order_seed = seed,
      .deadline = {},
      .make_bench = [&] { return std::make_unique<LaboratoryBench>(gpu.spec, options.phases); }};
  if (!options.budget.empty()) {
    settings.deadline = Clock::now() + parse_budget(options.budget);
  }
  const RunOutcome outcome = run_points(settings, run, RunCosts(run, kernel_time));
  if (options.rounds > 1) {
    print_pairs(options);
  }
  report(options, outcome, run.size());
}

}  // namespace

void add_measure(CLI::App& app) {
  CLI::App* command = app.add_subcommand("measure", "Time kernels on this machine's GPU");
  const auto options = std::make_shared<MeasureOptions>();
  CLI::Option* shape = command->add_option("SHAPE", options->shape, "MxNxK, with --config");
  CLI::Option* suite =
      command->add_option("--suite", options->suites, "YAML file of what to measure; repeatable");
  CLI::Option* config = command->add_option(
      "--config", options->configs, "Configuration, or cublaslt:top1 or cublaslt:best; repeatable");
  shape->excludes(suite);
  config->excludes(suite);
  command->add_option("--gpu", options->gpu, "A name in configs/gpus, or a path")
      ->capture_default_str();
  command->add_option("--out", options->out, "CSV file to write");
  command->add_option("--counters", options->counters, "none")->capture_default_str();
  command->add_option("--regime", options->regime, "burst or sustained")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--inputs", options->inputs, "normal, uniform, ternary or zeros")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--dtype", options->dtype, "fp16 or bf16")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--layout", options->layout, "tn: B is [N,K]; nn: B is [K,N]")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--l2", options->l2, "What L2 holds before a launch: rotating, flushed, warm")
      ->capture_default_str()
      ->excludes(suite);
  command->add_option("--budget", options->budget,
                      "Stop in time: 90s, 10m, 1h; what tells most comes first where it is short");
  command->add_option("--seed", options->seed,
                      "Of the order of the points in a problem; default another one each time");
  command
      ->add_option("--rounds", options->rounds,
                   "Measure the whole list so many times, one row each, every second time "
                   "backwards; prints each configuration beside the first")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--resume", options->resume, "Add what --out does not have yet");
  command->add_flag("--phases", options->phases, "Say at the end where the time went");
  command->add_flag("--prepare", options->prepare,
                    "Only compile the kernels into the cache; needs no GPU");
  command->callback([options] { run_measure(*options); });
}

}  // namespace tilecast
