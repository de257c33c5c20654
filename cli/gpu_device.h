// This machine's GPU for `measure`.
#pragma once

#include "cli/measure_device.h"

namespace tilecast {

class GpuDevice final : public MeasuringDevice {
 public:
  std::vector<std::string> look() override;
  RunContext context(const GpuSpec& gpu) override;
  void compile_all(const std::vector<SuitePoint>& points) override;
  CounterRequest request_counters(CounterChoice choice) override;
  std::unique_ptr<Bench> make_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                    Seconds window) override;
};

}  // namespace tilecast
