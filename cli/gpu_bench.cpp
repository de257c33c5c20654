#include "cli/gpu_bench.h"

#include <fmt/format.h>

#include "cli/gpu_counters.h"
#include "model/base/error.h"
#include "validate/measure/counters/counter_collector.h"
#include "validate/measure/counters/range_profiler.h"
#include "validate/measure/laboratory.h"

namespace tilecast {
namespace {

class LaboratoryBench final : public Bench {
 public:
  LaboratoryBench(const GpuSpec& gpu, const CounterRequest& counters, Seconds window)
      : laboratory_(profiled_duration), collector_(collector_of(counters)) {
    laboratory_.sustain_for(window);
    if (laboratory_.device().sm_count != gpu.sm.count) {
      throw ConfigError(fmt::format("--gpu {} has {} SMs, but this machine's {} has {}", gpu.name,
                                    gpu.sm.count, laboratory_.device().name,
                                    laboratory_.device().sm_count));
    }
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
      text += fmt::format("\n{}; measuring times alone", collector_->trouble());
    }
    return text;
  }
  void remember(const Measurement& row) override { laboratory_.remember(row); }
  Measurement measure(const Point& point) override { return laboratory_.measure(point); }

 private:
  Laboratory laboratory_;
  std::optional<CounterCollector> collector_;  // after what makes the CUDA context
};

}  // namespace

std::unique_ptr<Bench> make_laboratory_bench(const GpuSpec& gpu, const CounterRequest& counters,
                                             Seconds window) {
  return std::make_unique<LaboratoryBench>(gpu, counters, window);
}

}  // namespace tilecast
