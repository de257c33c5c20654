#include "cli/gpu_device.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string_view>

#include "cli/say.h"
#include "kernels/jit/compile.h"
#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/device.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/text.h"
#include "model/ops/any_op.h"
#include "model/spec/load_gpu.h"
#include "validate/measure/counters/counter_collector.h"
#include "validate/measure/counters/cupti_error.h"
#include "validate/measure/counters/range_profiler.h"
#include "validate/measure/device_facts.h"
#include "validate/measure/lab_op.h"
#include "validate/measure/laboratory.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/run/measure_progress.h"
#include "validate/run/stop_request.h"
#include "validate/run/supervisor.h"

namespace tilecast {
namespace {

/// Returns the kernels of the points that have one, and the kernels that checks and clocks need.
std::vector<KernelSource> sources_of(const std::vector<SuitePoint>& points) {
  std::vector<KernelSource> sources = micro_kernel_sources();
  const auto add = [&](const std::vector<KernelSource>& more) {
    sources.insert(sources.end(), more.begin(), more.end());
  };
  for (const LabRow& op : lab_ops()) {
    add(op.check_sources());
  }
  for (const auto& [point, refusal, drawn, round] : points) {
    if (is_baseline(point.config) || !refusal.empty()) {
      continue;
    }
    try {
      add(lab_op(point.problem).kernel_sources(point.problem, parse_config(point.config)));
    } catch (const ConfigError&) {  // measuring reports the reason
    }
  }
  return sources;
}

/// Runs `work` in a child, because this process must not initialise CUDA, and returns its output.
/// `code`: the Error's code if the child ends without output.
std::string done_in_child(const std::function<std::string(const TaskReporter&)>& work,
                          ExitCode code, const std::string& what) {
  std::string answer;
  supervise({.tasks = 1,
             .body =
                 [&](std::size_t, const TaskReporter& reporter) {
                   reporter.begin(0);
                   reporter.done(0, work(reporter));
                   return ExitCode::kDone;
                 },
             .on_started = [](const std::string&) {},
             .on_done = [&](std::size_t, const std::string& text) { answer = text; },
             .on_lost = [&](std::size_t, const std::string& why) { throw Error(code, what + why); },
             .task_limit = std::chrono::minutes(5)});
  return answer;
}

/// Returns UUIDs of the GPUs that CUDA shows; the first one runs the kernels.
std::string visible_gpus() {
  const Device current = require_ampere();
  std::string uuids = device_facts(current).uuid;
  int count = 0;
  TILECAST_CUDA(cudaGetDeviceCount(&count));
  for (Device device = current; device.ordinal + 1 < count;) {
    ++device.ordinal;
    uuids += " " + device_facts(device).uuid;
  }
  return uuids;
}

std::string current_chip_or_nothing() {
  try {
    return current_chip();
  } catch (const CountersUnavailable&) {
    return "";
  }
}

/// Creates a collector on the current device; std::nullopt if no counters are requested.
std::optional<CounterCollector> collector_of(const CounterRequest& request) {
  if (request.choice == CounterChoice::kNone) {
    return std::nullopt;
  }
  if (!request.unknown_chip.empty()) {
    return std::optional<CounterCollector>(std::in_place, CountersState::kUnknownChip,
                                           request.unknown_chip);
  }
  return std::optional<CounterCollector>(std::in_place, request.metrics);
}

/// The benchmark harness in a run: rows of points, with hardware counters if requested.
class LaboratoryBench final : public Bench {
 public:
  LaboratoryBench(const GpuSpec& gpu, const CounterRequest& counters, Seconds window)
      : laboratory_(profiled_duration), collector_(collector_of(counters)) {
    laboratory_.sustain_for(window);
    refuse_if(laboratory_.device().sm_count != gpu.sm.count,
              "--gpu {} has {} SMs, but this machine's {} has {}", gpu.name, gpu.sm.count,
              laboratory_.device().name, laboratory_.device().sm_count);
    if (collector_) {
      laboratory_.after_timing([this](Measurement& row, const Workload& workload) {
        collector_->collect(row, workload);
      });
    }
  }

  std::string gpu_uuid() const override { return laboratory_.facts().uuid; }
  std::string driver() const override { return laboratory_.driver_version(); }
  std::string greeting() const override {
    std::string text = "clocks agree: " + to_text(laboratory_.clocks());
    if (collector_ && !collector_->trouble().empty()) {
      text += fmt::format("\n{}; measuring without counters", collector_->trouble());
    }
    return text;
  }
  void remember(const Measurement& row) override { laboratory_.remember(row); }
  Measurement measure(const Point& point) override { return laboratory_.measure(point); }

 private:
  Laboratory laboratory_;
  // Created after everything that creates the CUDA context.
  std::optional<CounterCollector> collector_;
};

}  // namespace

/// A process that `measure --devices` started for one GPU knows its UUID and need not start CUDA,
/// which takes seconds if several processes start at once.
std::vector<std::string> GpuDevice::look() {
  constexpr std::string_view kAnyUuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string_view name = visible == nullptr ? "" : visible;
  const std::string uuids = name.size() == kAnyUuid.size() && name.starts_with("GPU-")
                                ? std::string(name)
                                : done_in_child([](const TaskReporter&) { return visible_gpus(); },
                                                ExitCode::kNoDevice, "");
  std::vector<std::string> gpus;
  for (const std::string_view uuid : split(uuids, ' ')) {
    gpus.emplace_back(uuid);
  }
  return gpus;
}

RunContext GpuDevice::context(const GpuSpec& gpu) {
  return {.gpu = gpu.name, .toolkit = nvrtc_version(), .git = TILECAST_GIT_REVISION};
}

/// Compiles in parallel and in a child, because the compiler may crash; measuring then only loads
/// the kernels.
void GpuDevice::compile_all(const std::vector<SuitePoint>& points) {
  done_in_child(
      [&](const TaskReporter& reporter) {
        CubinCache cache;
        cache.compile_for(only_architecture(current_device()));
        MeasureProgress progress("compiling");
        compile_ahead(sources_of(points), cache, [&](std::size_t done, std::size_t all) {
          progress.show(done, all, "");
          reporter.alive();
          if (!stop_requested().empty()) {  // compiled kernels stay in the cache
            reporter.error(ExitCode::kPartial,
                           fmt::format("stopped by {} with {} of {} kernels compiled",
                                       stop_requested(), done, all));
            std::_Exit(static_cast<int>(ExitCode::kPartial));
          }
        });
        progress.finish();
        return std::string();
      },
      ExitCode::kWrong, "compiling ahead: ");
}

CounterRequest GpuDevice::request_counters(CounterChoice choice) {
  CounterRequest request{.choice = choice, .metrics = {}, .unknown_chip = ""};
  if (choice == CounterChoice::kNone) {
    return request;
  }
  const std::string chip = done_in_child(
      [](const TaskReporter&) { return current_chip_or_nothing(); }, ExitCode::kNoDevice, "");
  if (const std::optional<ChipCounters> known = load_chip_counters(config_folder(), chip)) {
    request.metrics = (choice == CounterChoice::kCore ? known->core : known->full).metrics();
  } else {
    request.unknown_chip = fmt::format(
        "no hardware counters: none are known for the chip {}: expected a file in {}/counters",
        chip.empty() ? "(no name from CUPTI)" : chip, config_folder().string());
  }
  return request;
}

std::unique_ptr<Bench> GpuDevice::make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                             Seconds window) {
  return std::make_unique<LaboratoryBench>(gpu, counters, window);
}

}  // namespace tilecast
