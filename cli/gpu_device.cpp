#include "cli/gpu_device.h"

#include "cli/gpu_bench.h"
#include "cli/gpu_compile_ahead.h"
#include "cli/gpu_counters.h"
#include "cli/gpu_timeline.h"
#include "kernels/jit/compile.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {

DeviceFound GpuDevice::look() { return look_for_device(); }

RunContext GpuDevice::context(const GpuSpec& gpu) {
  return {.gpu = gpu.name, .toolkit = nvrtc_version(), .git = TILECAST_GIT_REVISION};
}

void GpuDevice::compile_all(const std::vector<SuitePoint>& points) { compile_in_child(points); }

void GpuDevice::compile_only(const std::vector<SuitePoint>& points) { compile_here(points); }

CounterRequest GpuDevice::request_counters(CounterChoice choice, const std::string& chip) {
  return counters_of_chip(choice, chip);
}

std::unique_ptr<Bench> GpuDevice::make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                             bool phases) {
  return make_laboratory_bench(gpu, counters, phases);
}

void GpuDevice::sample(const std::vector<SuitePoint>& points, const std::string& chip,
                       const std::string& path) {
  sample_point(points, chip, path);
}

/// The measuring children have left the GPU by then.
void GpuDevice::trace(const Point& point, const std::string& path) {
  write_timeline(point.problem, parse_kernel_config(point.config), point.inputs, path, "");
}

}  // namespace tilecast
