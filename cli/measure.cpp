// tilecast measure: time kernels on this machine's GPU, into a measurement CSV.
//
// The parent plans, compiles ahead and keeps the file; a child process does the measuring, so that
// a kernel that faults or hangs costs its own row only (validate/measure/supervisor.h).

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/measure_progress.h"
#include "cli/suite.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "validate/measure/laboratory.h"
#include "validate/measure/supervisor.h"
#include "validate/record/measurement_appender.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

struct MeasureOptions {
  std::string shape, op = "gemm", gpu = "h200_sxm", out, counters = "none", regime = "burst",
                     inputs = "normal", dtype = "fp16", layout = "tn", budget;
  std::vector<std::string> suites, configs;
  int rounds = 1;
  bool resume = false, prepare = false;
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
  const AnyProblem problem =
      parse_problem(parse_op(options.op), options.shape, parse_element_type(options.dtype),
                    parse_layout(options.layout));
  std::vector<SuitePoint> points;
  for (const std::string& given : options.configs) {
    const std::string config = is_baseline(given) ? given : to_text(parse_config(given));
    if (const std::string why = why_not_measurable(gpu, problem, config); !why.empty()) {
      throw ConfigError(fmt::format("{} on {}: {}", config, options.shape, why));
    }
    Point point = point_of(problem);
    point.config = config;
    point.regime = parse_regime(options.regime);
    point.inputs = parse_inputs(options.inputs);
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

KernelSource kernel_source(const Point& point) {
  const AnyConfig config = parse_config(point.config);
  if (const KernelConfig* gemm = std::get_if<KernelConfig>(&config)) {
    return gemm_source(*gemm, point.problem.dtype, point.problem.layout);
  }
  return stream_source(std::get<StreamConfig>(config), point.problem.dtype);
}

std::vector<KernelSource> sources_of(const std::vector<SuitePoint>& points) {
  std::vector<KernelSource> sources = micro_kernel_sources();
  sources.push_back(stream_check_source());
  for (const auto& [point, refusal] : points) {
    if (!refusal.empty() || is_baseline(point.config)) {
      continue;
    }
    try {
      sources.push_back(kernel_source(point));
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

/// In children, since this process must stay free of CUDA: the device first, then the kernels.
void check_device_and_compile(const std::vector<SuitePoint>& points) {
  const auto nothing = [](const std::string&) {};
  const auto no_task = [](std::size_t, const std::string&) {};
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   reporter.begin(0);
                   (void)require_hopper();
                   reporter.done(0, "");
                   return ExitCode::kDone;
                 },
             .on_started = nothing,
             .on_done = no_task,
             .on_lost = [](std::size_t, const std::string& why) { throw DeviceError(why); }});
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
             .on_started = nothing,
             .on_done = no_task,
             .on_lost =
                 [](std::size_t, const std::string& why) {
                   throw Error(ExitCode::kWrong, "compiling ahead: " + why);
                 },
             .task_limit = std::chrono::minutes(5)});
}

std::string now_as_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2025-01-31T12:00:00Z"];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

/// Rows into the file, from either process: it is opened where a row is due, so that the lock on it
/// is never in two hands.
class Run {
 public:
  Run(const MeasureOptions& options, const GpuSpec& gpu, std::vector<SuitePoint> points)
      : options_(options), gpu_(gpu), points_(std::move(points)) {
    context_.gpu = gpu.name;
    context_.toolkit = nvrtc_version();
    context_.git = TILECAST_GIT_REVISION;
    if (!options.budget.empty()) {
      deadline_ = Clock::now() + parse_budget(options.budget);
    }
  }

  void measure() {
    MeasureProgress progress("measuring");
    std::size_t finished = 0;
    std::map<std::string, int> counts;  // by status
    const auto count = [&](std::size_t task, const std::string& text) {
      ++counts[text.substr(0, text.find(' '))];
      progress.show(++finished, points_.size(), describe(points_[task].point) + "  " + text);
    };
    const ExitCode code =
        supervise({.tasks = points_.size(),
                   .body = [&](std::size_t first,
                               const TaskReporter& reporter) { return work(first, reporter); },
                   .on_started =
                       [&](const std::string& text) {
                         const std::vector<std::string_view> parts = split(text, ' ');
                         context_.gpu_uuid = parts[0];
                         context_.driver = parts.size() > 1 ? parts[1] : "";
                       },
                   .on_done = count,
                   .on_lost =
                       [&](std::size_t task, const std::string& reason) {
                         Measurement row;
                         row.point = points_[task].point;
                         row.status = Status::kFailed;
                         row.reason = reason;
                         append(row);
                         count(task, "failed: " + reason);
                       }});
    progress.finish();
    report(code, finished, counts);
  }

 private:
  /// In the child.
  ExitCode work(std::size_t first, const TaskReporter& reporter) {
    Laboratory laboratory;
    if (laboratory.device().sm_count != gpu_.sm.count) {
      throw ConfigError(fmt::format("--gpu {} has {} SMs, but this machine's {} has {}", gpu_.name,
                                    gpu_.sm.count, laboratory.device().name,
                                    laboratory.device().sm_count));
    }
    context_.gpu_uuid = laboratory.facts().uuid;
    context_.driver = laboratory.driver_version();
    reporter.started(context_.gpu_uuid + " " + context_.driver);
    MeasurementAppender file(options_.out, {}, IfExists::kResume);
    Clock::duration longest{};
    for (std::size_t i = first; i < points_.size(); ++i) {
      const Clock::time_point start = Clock::now();
      if (deadline_ && start + longest > *deadline_) {
        return ExitCode::kPartial;
      }
      reporter.begin(i);
      Measurement row;
      if (points_[i].refusal.empty()) {
        try {
          row = laboratory.measure(points_[i].point);
        } catch (const ContextLost& error) {
          reporter.lost(i, error.what());
        }
      } else {
        row.point = points_[i].point;
        row.status = Status::kSkipped;
        row.reason = points_[i].refusal;
      }
      file.append(with_context(row));
      reporter.done(i, describe_result(row));
      longest = std::max(longest, Clock::now() - start);
    }
    return ExitCode::kDone;
  }

  Measurement with_context(Measurement row) const {
    row.context = context_;
    row.context.date = now_as_text();
    return row;
  }

  void append(const Measurement& row) const {
    MeasurementAppender(options_.out, {}, IfExists::kResume).append(with_context(row));
  }

  void report(ExitCode code, std::size_t finished, const std::map<std::string, int>& counts) const {
    std::string summary;
    for (const auto& [status, number] : counts) {
      summary += fmt::format("{}{} {}", summary.empty() ? "" : ", ", number,
                             status.back() == ':' ? status.substr(0, status.size() - 1) : status);
    }
    const auto has = [&](const char* status) { return counts.contains(status); };
    if (code == ExitCode::kPartial) {
      throw Error(code, fmt::format("stopped by --budget {} with {} of {} points in {} ({}); go on "
                                    "with --resume",
                                    options_.budget, finished, points_.size(), options_.out,
                                    summary.empty() ? "none" : summary));
    }
    if (has("wrong:") || has("failed:")) {
      throw Error(has("wrong:") ? ExitCode::kWrong : ExitCode::kPartial,
                  fmt::format("{}: {}; its column `reason` says why", options_.out, summary));
    }
    fmt::print(stderr, "{}: {}\n", options_.out, summary);
  }

  const MeasureOptions& options_;
  const GpuSpec& gpu_;
  const std::vector<SuitePoint> points_;
  RunContext context_;
  std::optional<Clock::time_point> deadline_;
};

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
  check_device_and_compile(points);
  {
    const MeasurementAppender file(options.out, {},
                                   options.resume ? IfExists::kResume : IfExists::kRefuse);
    std::erase_if(points, [&](const SuitePoint& point) { return file.has(point.point); });
  }
  if (points.empty()) {
    fmt::print(stderr, "{}: nothing to add\n", options.out);
    return;
  }
  std::vector<SuitePoint> rounds;
  for (int i = 0; i < options.rounds; ++i) {
    rounds.insert(rounds.end(), points.begin(), points.end());
  }
  Run(options, gpu.spec, std::move(rounds)).measure();
}

}  // namespace

void add_measure(CLI::App& app) {
  CLI::App* command = app.add_subcommand("measure", "Time kernels on this machine's GPU");
  const auto options = std::make_shared<MeasureOptions>();
  CLI::Option* shape = command->add_option("SHAPE", options->shape,
                                           "MxNxK, ROWSxCOLUMNS or elements, with --config");
  CLI::Option* suite =
      command->add_option("--suite", options->suites, "YAML file of what to measure; repeatable");
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
  command->add_option("--counters", options->counters, "none")->capture_default_str();
  command->add_option("--regime", options->regime, "burst or sustained")
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
  command->add_option("--budget", options->budget, "Stop in time: 90s, 10m, 1h");
  command
      ->add_option("--rounds", options->rounds,
                   "Measure the whole list so many times, one row each, to compare in turns")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--resume", options->resume, "Add what --out does not have yet");
  command->add_flag("--prepare", options->prepare,
                    "Only compile the kernels into the cache; needs no GPU");
  command->callback([options] { run_measure(*options); });
}

}  // namespace tilecast
