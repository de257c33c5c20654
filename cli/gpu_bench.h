// The laboratory as a run sees it (validate/run/measure_run.h): rows of points, with hardware
// counters where they are asked for.
#pragma once

#include <memory>
#include <optional>

#include "cli/measure_device.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// In the process that measures. `window`: of a sustained row. Throws ConfigError where the GPU is
/// not `gpu`, and what Laboratory throws.
std::unique_ptr<Bench> make_laboratory_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                             Seconds window);

}  // namespace tilecast
