// The machine as `measure` sees it. The GPU's is GpuDevice (gpu_device.h);
// tests/fakes/measuring_program.cpp has one without a GPU, so that plans, shards, signals and
// Slurm's effects on them are tested with the rest of the program unchanged.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/spec/chip_counters.h"
#include "model/spec/gpu_spec.h"
#include "validate/plan/suite.h"
#include "validate/run/measure_run.h"

namespace tilecast {

/// Which counters a run's rows have columns for.
struct CounterRequest {
  CounterChoice choice = CounterChoice::kNone;
  std::vector<std::string> metrics;  // empty where none are asked for, or the chip is unknown
  std::string unknown_chip;          // why there are none for it; empty where it is known
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;

  /// UUIDs of the GPUs that this process could use, one at least; on the first it measures. Throws
  /// DeviceError where there is none.
  virtual std::vector<std::string> look() = 0;
  /// gpu, toolkit and git; the rest comes from the bench.
  virtual RunContext context(const GpuSpec& gpu) = 0;
  /// Every kernel into the cache. Throws Error(kWrong) where the compiler falls over.
  virtual void compile_all(const std::vector<SuitePoint>& points) = 0;
  /// Throws FileError, or ConfigError where the counters file is not strict.
  virtual CounterRequest request_counters(CounterChoice choice) = 0;
  /// In the process that measures. `window`: of a sustained row.
  virtual std::unique_ptr<Bench> make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                            Seconds window) = 0;
  /// measure --trace, of one point.
  virtual void trace(const Point& point, const std::string& path) = 0;
};

}  // namespace tilecast
