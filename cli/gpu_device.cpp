#include "cli/gpu_device.h"

#include <cstdlib>
#include <string_view>

#include "cli/gpu_bench.h"
#include "cli/gpu_compile_ahead.h"
#include "cli/gpu_counters.h"
#include "cli/gpu_timeline.h"
#include "kernels/jit/compile.h"
#include "model/gemm/config/kernel_config_text.h"

namespace tilecast {

/// A process that sees one GPU alone, by its UUID as `measure --devices` starts it, knows it
/// without CUDA, whose start takes seconds where several processes start at once.
std::vector<std::string> GpuDevice::look() {
  constexpr std::string_view kAnyUuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string_view name = visible == nullptr ? "" : visible;
  if (name.size() == kAnyUuid.size() && name.starts_with("GPU-")) {
    return {std::string(name)};
  }
  return visible_gpus();
}

RunContext GpuDevice::context(const GpuSpec& gpu) {
  return {.gpu = gpu.name, .toolkit = nvrtc_version(), .git = TILECAST_GIT_REVISION};
}

void GpuDevice::compile_all(const std::vector<SuitePoint>& points) { compile_in_child(points); }

CounterRequest GpuDevice::request_counters(CounterChoice choice) {
  return counters_of_chip(choice, choice == CounterChoice::kNone ? "" : chip_of_current());
}

std::unique_ptr<Bench> GpuDevice::make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                             Seconds window) {
  return make_laboratory_bench(gpu, counters, window);
}

/// The measuring children have left the GPU by then.
void GpuDevice::trace(const Point& point, const std::string& path) {
  write_timeline(std::get<GemmProblem>(point.problem), parse_kernel_config(point.config),
                 point.inputs, path);
}

}  // namespace tilecast
