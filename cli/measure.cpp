// tilecast measure: times kernels on this machine's GPU into a measurement CSV. Steps: plan the
// points (cli/measure_options.h); compile their kernels, before the run (cli/measure_device.h) or,
// with a budget, during it; lock the GPU; run (validate/run/measure_run.h). With --devices, starts
// one such process on each GPU (cli/measure_devices.h).

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/commands.h"
#include "cli/measure_answer.h"
#include "cli/measure_device.h"
#include "cli/measure_devices.h"
#include "cli/measure_options.h"
#include "cli/merge_files.h"
#include "cli/say.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/spec/load_gpu.h"
#include "validate/compare/pair_rounds.h"
#include "validate/plan/make_plan.h"
#include "validate/plan/measure_order.h"
#include "validate/record/measurement_appender.h"
#include "validate/record/measurement_csv.h"
#include "validate/run/child_process.h"
#include "validate/run/gpu_lock.h"
#include "validate/run/measure_progress.h"
#include "validate/run/measure_run.h"
#include "validate/run/stop_request.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

void report(const MeasureOptions& options, const RunOutcome& outcome, std::size_t points) {
  const std::string summary = counts_text(outcome.counts);
  const auto has = [&](const char* status) { return outcome.counts.contains(status); };
  if (outcome.code == ExitCode::kPartial) {
    throw Error(outcome.code,
                fmt::format("stopped by {} with {} of {} in {} ({}); continue with --resume",
                            stop_requested().empty() ? "--budget " + options.budget
                                                     : std::string(stop_requested()),
                            outcome.finished, counted(points, "point"), options.out, summary));
  }
  if (has("wrong") || has("failed")) {
    throw Error(has("wrong") ? ExitCode::kWrong : ExitCode::kPartial,
                fmt::format("{}: {}; the column `reason` says why", options.out, summary));
  }
  if (options.answers) {
    return;
  }
  say("{}: {} in {}, {:.1f} points/s", options.out, summary, clock_text(outcome.took),
      static_cast<double>(outcome.finished) / outcome.took.value);
}

/// Returns the points in measuring order, without finished ones.
std::vector<SuitePoint> ordered(const MeasureOptions& options,
                                const std::vector<SuitePoint>& points, u64 seed,
                                const std::function<Seconds(const Point&)>& kernel_time,
                                const MeasurementAppender& file) {
  const auto done = [&](const Point& point) { return file.rows_of(point); };
  std::vector<SuitePoint> run = in_rounds(shuffled_in_problems(points, seed), options.rounds, done);
  if (options.budget.empty()) {
    return run;
  }
  const Seconds budget{static_cast<double>(parse_budget(options.budget).count())};
  const Seconds needed = RunCosts(run, kernel_time).expected_from(0);
  if (needed <= budget) {
    return run;
  }
  say("{} expected to take {}, more than --budget {}: the most informative points come first",
      counted(run.size(), "point"), clock_text(needed), options.budget);
  return in_rounds(telling_first(points, seed), options.rounds, done);
}

/// Prints the results of rounds: each configuration compared with the first one of its problem.
void print_pairs(const MeasureOptions& options) {
  for (const PairedConfigs& pair : pair_rounds(read_measurements(options.out))) {
    fmt::print("{}\n", to_text(pair));
  }
}

/// Compiles in a child, while the first kernels are measured. The child has low priority: competing
/// with it for the host would leave gaps between the kernels of a sustained measurement. The
/// measuring process reports kernels that do not compile.
[[noreturn]] void compile_aside(MeasuringDevice& device, const std::vector<SuitePoint>& points) {
  constexpr int kLowPriority = 10;
  (void)::setpriority(PRIO_PROCESS, 0, kLowPriority);
  (void)::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
  try {
    device.compile_all(points);
  } catch (const std::exception&) {
    std::_Exit(EXIT_FAILURE);
  }
  std::_Exit(EXIT_SUCCESS);
}

/// Measures `points`, until `deadline` if there is one. The caller must hold the lock.
void measure_points(const MeasureOptions& options, const std::vector<SuitePoint>& points,
                    const GpuSpec& gpu, const CounterRequest& counters, MeasuringDevice& device,
                    std::optional<Clock::time_point> deadline) {
  const u64 seed = options.seed ? static_cast<u64>(*options.seed) : std::random_device()();
  const auto kernel_time = [&](const Point& point) { return rough_kernel_time(gpu, point); };
  std::vector<SuitePoint> run;
  {
    const MeasurementAppender file(options.out, counters.metrics,
                                   options.resume ? IfExists::kResume : IfExists::kRefuse);
    run = ordered(options, points, seed, kernel_time, file);
  }
  if (run.empty()) {
    say("{}: nothing to add", options.out);
    return;
  }
  std::optional<ChildProcess> compiling;
  if (deadline) {
    compiling.emplace(SIGKILL, [&] { compile_aside(device, run); });
  } else {
    device.compile_all(points);
  }
  say("{}, order by --seed {}", counted(run.size(), "point"), seed);
  RunSettings settings{.out = options.out,
                       .counters = counters.metrics,
                       .context = device.context(gpu),
                       .order_seed = seed,
                       .deadline = deadline,
                       .make_bench = [&] {
                         return device.make_bench(
                             gpu, counters, Seconds{static_cast<double>(options.window_ms) * 1e-3});
                       }};
  const RunOutcome outcome = run_points(settings, run, RunCosts(run, kernel_time));
  if (options.rounds > 1) {
    print_pairs(options);
  }
  report(options, outcome, run.size());
}

}  // namespace

void run_measure(const Arguments& args, MeasuringDevice& device) {
  MeasureOptions options = measure_options(args);
  const std::optional<Clock::time_point> deadline =
      options.budget.empty() ? std::nullopt
                             : std::optional(Clock::now() + parse_budget(options.budget));
  const LoadedGpu gpu = load_gpu(options.gpu, true);
  if (!has_tensor_cores(gpu.spec)) {
    throw ConfigError(why_not_schedulable(gpu.spec));
  }
  std::optional<TemporaryRows> unkept;
  if (options.of_shape() && options.out.empty() && options.devices.empty()) {
    unkept.emplace();
    options.out = unkept->path();
    options.answers = true;
    options.regime = options.regime_given ? options.regime : "sustained";
  }
  std::vector<Prediction> predicted;
  const auto [points, choice] = plan_measure(options, gpu.spec, predicted);
  heed_stop_requests();
  const std::vector<std::string> gpus = device.look();
  if (!options.devices.empty()) {
    if (!deadline) {
      device.compile_all(points);  // once, instead of in each process
    }
    measure_on_devices(options, points, gpu.spec, choice, gpus);
    return;
  }
  const GpuLock lock(gpus.front(), options.answers ? "tilecast measure " + options.shape
                                                   : "tilecast measure --out " + options.out);
  measure_points(options, points, gpu.spec, device.request_counters(choice), device, deadline);
  if (!predicted.empty()) {
    std::vector<Measurement> rows;  // a resumed file also has other rows
    for (const MeasurementRow& row : read_measurements(options.out).rows) {
      if (std::ranges::find(points, row.measurement.point, &SuitePoint::point) != points.end()) {
        rows.push_back(row.measurement);
      }
    }
    fmt::print("{}", measured_answer(gpu.spec, *options.problem, predicted, rows));
  }
}

}  // namespace tilecast
