#include "cli/measure_compile.h"

#include <fmt/format.h>

#include <chrono>

#include "cli/measure_counters.h"
#include "cli/measure_progress.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/tile/any_op.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/micro_kernels.h"
#include "validate/measure/stream_points.h"
#include "validate/measure/supervisor.h"

namespace tilecast {
namespace {

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
  for (const auto& [point, refusal, drawn] : points) {
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

}  // namespace

void compile_only(const std::vector<SuitePoint>& points) {
  CubinCache cache;
  MeasureProgress progress("compiling");
  const CompileCounts counts =
      compile_ahead(sources_of(points), cache,
                    [&](std::size_t done, std::size_t all) { progress.show(done, all, ""); });
  progress.finish();
  for (const std::string& fault : counts.faults) {
    fmt::print(stderr, "{}\n", fault);
  }
  fmt::print(stderr, "{}, {}: {} compiled now, {} were there, {} rejected, {} failed\n",
             counted(points.size(), "point"),
             counted(static_cast<std::size_t>(counts.kernels), "kernel"),
             cache.misses() - static_cast<int>(counts.failed), cache.hits(), counts.rejected,
             counts.failed);
}

DeviceFound look_for_device() {
  DeviceFound found;
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   reporter.begin(0);
                   const std::string uuid = device_facts(require_hopper()).uuid;
                   reporter.done(0, uuid + " " + current_chip_or_nothing());
                   return ExitCode::kDone;
                 },
             .on_started = [](const std::string&) {},
             .on_done =
                 [&](std::size_t, const std::string& text) {
                   const std::size_t space = text.find(' ');
                   found = {.uuid = text.substr(0, space), .chip = text.substr(space + 1)};
                 },
             .on_lost = [](std::size_t, const std::string& why) { throw DeviceError(why); }});
  return found;
}

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

}  // namespace tilecast
