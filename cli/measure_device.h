// The machine for `measure`. GpuDevice (gpu_device.h) implements it for a GPU;
// tests/fakes/measuring_program.cpp implements it without one, so that plans, shards, signals and
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

/// The counters for which a run's rows have columns.
struct CounterRequest {
  CounterChoice choice = CounterChoice::kNone;
  std::vector<std::string> metrics;  // empty if none are requested, or the chip is unknown
  std::string unknown_chip;          // why the chip has no metrics; empty if it is known
};

class MeasuringDevice {
 public:
  virtual ~MeasuringDevice() = default;

  /// Returns the UUIDs of the GPUs that this process can use, at least one; it measures on the
  /// first one. Throws DeviceError if there is none.
  virtual std::vector<std::string> look() = 0;
  /// Returns gpu, toolkit and git; the bench provides the rest.
  virtual RunContext context(const GpuSpec& gpu) = 0;
  /// Compiles every kernel into the cache. Throws Error(kWrong) if the compiler crashes.
  virtual void compile_all(const std::vector<SuitePoint>& points) = 0;
  /// Throws FileError, or ConfigError if the counters file is invalid.
  virtual CounterRequest request_counters(CounterChoice choice) = 0;
  /// Called in the process that measures. `window`: length of a sustained row.
  virtual std::unique_ptr<Bench> make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                            Seconds window) = 0;
};

}  // namespace tilecast
