#include "cli/gpu_compile_ahead.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>

#include "cli/gpu_counters.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/device.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/ops/any_op.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/lab_op.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/run/measure_progress.h"
#include "validate/run/stop_request.h"
#include "validate/run/supervisor.h"

namespace tilecast {
namespace {

/// Of the points that have a kernel.
std::vector<KernelSource> sources_of(const std::vector<SuitePoint>& points) {
  std::vector<KernelSource> sources = micro_kernel_sources();
  const auto add = [&](const std::vector<KernelSource>& more) {
    sources.insert(sources.end(), more.begin(), more.end());
  };
  for (const LabRow& op : lab_ops()) {
    add(op.check_sources());
  }
  for (const auto& [point, refusal, drawn] : points) {
    if (is_baseline(point.config) || !refusal.empty()) {
      continue;
    }
    try {
      add(lab_op(point.problem).kernel_sources(point.problem, parse_config(point.config)));
    } catch (const ConfigError&) {  // measuring says why
    }
  }
  return sources;
}

/// What `ask` says in a child.
std::string asked_in_child(const std::function<std::string()>& ask) {
  std::string answer;
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   reporter.begin(0);
                   reporter.done(0, ask());
                   return ExitCode::kDone;
                 },
             .on_started = [](const std::string&) {},
             .on_done = [&](std::size_t, const std::string& text) { answer = text; },
             .on_lost = [](std::size_t, const std::string& why) { throw DeviceError(why); }});
  return answer;
}

}  // namespace

std::vector<std::string> visible_gpus() {
  const std::string answer = asked_in_child([] {
    const Device current = require_hopper();
    std::string uuids = device_facts(current).uuid;
    int count = 0;
    TILECAST_CUDA(cudaGetDeviceCount(&count));
    for (Device device = current; device.ordinal + 1 < count;) {
      ++device.ordinal;
      uuids += " " + device_facts(device).uuid;
    }
    return uuids;
  });
  std::vector<std::string> uuids;
  for (const std::string_view uuid : split(answer, ' ')) {
    uuids.emplace_back(uuid);
  }
  return uuids;
}

std::string chip_of_current() { return asked_in_child(current_chip_or_nothing); }

void compile_in_child(const std::vector<SuitePoint>& points) {
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   CubinCache cache;
                   MeasureProgress progress("compiling");
                   reporter.begin(0);
                   compile_ahead(sources_of(points), cache, [&](std::size_t done, std::size_t all) {
                     progress.show(done, all, "");
                     reporter.alive();
                     if (!stop_requested().empty()) {  // what is compiled stays in the cache
                       reporter.error(ExitCode::kPartial,
                                      fmt::format("stopped by {} with {} of {} kernels compiled",
                                                  stop_requested(), done, all));
                       std::_Exit(static_cast<int>(ExitCode::kPartial));
                     }
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
