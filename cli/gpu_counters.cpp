#include "cli/gpu_counters.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "model/base/error.h"
#include "model/base/file.h"
#include "model/spec/load_gpu.h"
#include "validate/measure/counters/counters_unavailable.h"
#include "validate/measure/counters/pm_sampler.h"
#include "validate/measure/micro/laboratory.h"

namespace tilecast {
namespace {

constexpr Seconds kSampleInterval{10e-6};
constexpr auto kRest = std::chrono::milliseconds(32);  // of the burst regime
constexpr Seconds kBurstLength{7e-3};
constexpr Seconds kSustainedLength{0.35};
constexpr double kPerMicro = 1e6;
constexpr double kNanosPerMicro = 1e3;

std::string no_counters_known(const std::string& chip) {
  return fmt::format(
      "no hardware counters: none are known for the chip {}: expected a file in "
      "{}/counters",
      chip.empty() ? "(no name from CUPTI)" : chip, config_folder().string());
}

/// Launches from rest, back to back, over the workload's buffer sets; sampled from before the
/// first.
PmSamples sample_workload(const MetricPlan& plan, const Workload& workload, Regime regime) {
  const Seconds length = regime == Regime::kBurst ? kBurstLength : kSustainedLength;
  const double launches = std::ceil(length / workload.estimate);
  std::this_thread::sleep_for(kRest);
  return sample_activity(plan, kSampleInterval, 2 * length + workload.estimate, [&] {
    for (std::size_t i = 0; static_cast<double>(i) < launches; ++i) {
      workload.enqueue(i % workload.sets);
    }
    TILECAST_CUDA(cudaDeviceSynchronize());
  });
}

std::string samples_csv(const MetricPlan& plan, const PmSamples& taken) {
  std::string text = "time_us,length_us";
  for (const std::string& metric : plan.metrics()) {
    text += "," + metric;
  }
  text += "\n";
  for (const PmSample& sample : taken.samples) {
    text += fmt::format(
        "{:.3f},{:.3f}",
        static_cast<double>(sample.start_ns - taken.samples.front().start_ns) / kNanosPerMicro,
        static_cast<double>(sample.end_ns - sample.start_ns) / kNanosPerMicro);
    for (const double value : sample.values) {
      text += fmt::format(",{}", value);
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::string current_chip_or_nothing() {
  try {
    return current_chip();
  } catch (const CountersUnavailable&) {
    return "";
  }
}

CounterRequest counters_of_chip(CounterChoice choice, const std::string& chip) {
  CounterRequest request{.choice = choice, .metrics = {}, .unknown_chip = ""};
  if (choice == CounterChoice::kNone) {
    return request;
  }
  const std::optional<ChipCounters> known = load_chip_counters(config_folder(), chip);
  if (!known) {
    request.unknown_chip = no_counters_known(chip);
    return request;
  }
  request.metrics = (choice == CounterChoice::kCore ? known->core : known->full).metrics();
  return request;
}

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

void sample_point(const std::vector<SuitePoint>& points, const std::string& chip,
                  const std::string& path) {
  TILECAST_ASSERT(points.size() == 1);
  const std::optional<ChipCounters> known = load_chip_counters(config_folder(), chip);
  if (!known) {
    throw CountersUnavailable(CountersState::kUnknownChip, no_counters_known(chip));
  }
  const MetricPlan plan(chip, MetricUse::kSampling, known->sampling.metrics());
  const Point& point = points.front().point;
  Laboratory laboratory;
  PmSamples taken;
  std::optional<CountersUnavailable> refusal;
  laboratory.after_timing([&](Measurement&, const Workload& workload) {
    try {
      taken = sample_workload(plan, workload, point.regime);
    } catch (const CountersUnavailable& error) {
      refusal = error;
    }
  });
  const Measurement row = laboratory.measure(point);
  if (refusal) {
    throw *refusal;
  }
  if (row.status != Status::kOk) {
    throw Error(row.status == Status::kSkipped ? ExitCode::kUsage : ExitCode::kWrong,
                fmt::format("{}: {}", to_text(row.status), row.reason));
  }
  write_file(path, samples_csv(plan, taken));
  fmt::print(stderr, "{}: {} samples of {:.0f} us; one launch takes {:.1f} us{}\n", path,
             taken.samples.size(), kSampleInterval.value * kPerMicro,
             row.time->median.value * kPerMicro,
             taken.overflow ? "; the GPU's buffer was full, later ones are missing" : "");
}

}  // namespace tilecast
