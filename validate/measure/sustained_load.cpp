#include "validate/measure/sustained_load.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <thread>

#include "model/base/error.h"
#include "validate/measure/event.h"
#include "validate/measure/launch_times.h"
#include "validate/measure/power_meter.h"
#include "validate/measure/replay.h"

namespace tilecast {
namespace {

constexpr Seconds kLoadLength{0.25};
constexpr Seconds kLoadMargin{2e-3};  // events and records are stamped by different clocks
constexpr Seconds kSliceLength{20e-3};
constexpr std::size_t kSlices = 5;
constexpr Seconds kRoundLength{3.5e-3};
constexpr std::size_t kRoundsAhead = 3;
constexpr Seconds kLongestGap{1e-3};    // of a load that still counts as continuous
constexpr Seconds kPowerSettles{0.15};  // after which energy counts
constexpr auto kPollEvery = std::chrono::microseconds(500);
constexpr int kAttempts = 3;

/// One attempt: the load, the slices, and what NVML says meanwhile.
class Load {
 public:
  Load(TimerParts& parts, const Workload& workload)
      : parts_(parts),
        launches_(launches_in(kRoundLength, workload.estimate)),
        kernels_per_launch_(workload.kernels_per_launch),
        round_(parts.stream.get(), parts.use_graphs, [&workload, launches = launches_] {
          for (std::size_t i = 0; i < launches; ++i) {
            workload.enqueue(i % workload.sets);
          }
        }) {}

  void run() {
    began_ = std::chrono::steady_clock::now();
    const Seconds one_round = load_until(kLoadLength + kLoadMargin);
    rounds_per_slice_ = static_cast<std::size_t>(std::ceil(kSliceLength / one_round));
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      parts_.sample(slice);
      for (std::size_t i = 0; i < rounds_per_slice_; ++i) {
        round_.launch();
      }
    }
    parts_.sample(kSlices);
    const Event end;
    end.record(parts_.stream.get());
    wait_for(end);
  }

  std::size_t records() const {
    return (load_rounds_ + kSlices * rounds_per_slice_) * launches_ * kernels_per_launch_ +
           kSlices + 1;
  }
  std::size_t launches_of_slice() const { return rounds_per_slice_ * launches_; }
  std::optional<Watts> power() const { return meter_.mean(); }
  std::optional<u64> clock_events() const { return clock_events_; }

 private:
  /// Returns how long one round takes.
  Seconds load_until(Seconds length) {
    const Event begin;
    std::array<Event, kRoundsAhead> ends;
    begin.record(parts_.stream.get());
    for (load_rounds_ = 0;; ++load_rounds_) {
      const Event& end = ends[load_rounds_ % kRoundsAhead];
      if (load_rounds_ >= kRoundsAhead) {
        wait_for(end);  // of the round three before
        const Seconds loaded = end.since(begin);
        if (loaded >= length) {
          return loaded / static_cast<double>(load_rounds_ - kRoundsAhead + 1);
        }
      }
      round_.launch();
      end.record(parts_.stream.get());
    }
  }

  void wait_for(const Event& event) {
    while (!event.passed()) {
      look_at_nvml();
      std::this_thread::sleep_for(kPollEvery);
    }
  }

  void look_at_nvml() {
    const auto now = std::chrono::steady_clock::now();
    if (now - began_ < std::chrono::duration<double>(kPowerSettles.value)) {
      return;
    }
    meter_.read(parts_.nvml.energy(), now);
    if (const std::optional<u64> events = parts_.nvml.clock_event_reasons()) {
      clock_events_ = clock_events_.value_or(0) | *events;
    }
  }

  const TimerParts& parts_;
  std::size_t launches_, kernels_per_launch_;  // launches of one round
  Replay round_;
  std::size_t load_rounds_ = 0, rounds_per_slice_ = 0;
  std::chrono::steady_clock::time_point began_{};
  PowerMeter meter_;
  std::optional<u64> clock_events_;
};

/// Throws Error(kNoDevice) where the records do not show what was meant to happen.
std::vector<SampleBlock> slices_of(const TimerParts& parts, const Load& load,
                                   std::size_t kernels_per_launch) {
  const KernelSpans taken = parts.activity.take(load.records());
  const std::span<const KernelSpan> spans = newest(taken, load.records());
  const std::vector<Kernels> between = between_markers(spans, MicroKernels::kClockSampler, kSlices);
  const std::vector<Hertz> clocks = parts.clocks_between(kSlices + 1);
  std::vector<SampleBlock> slices;
  for (std::size_t i = 0; i < kSlices; ++i) {
    slices.push_back({.nanoseconds = launch_nanoseconds(between[i], kernels_per_launch,
                                                        load.launches_of_slice()),
                      .clock = clocks[i]});
  }
  const Seconds loaded = seconds_between(spans.front().start_ns, between[0].front().start_ns);
  if (loaded < kLoadLength) {
    throw Error(ExitCode::kNoDevice,
                fmt::format("the load lasted {:.0f} ms only", loaded.value * 1e3));
  }
  if (const Seconds gap = longest_gap(spans); gap > kLongestGap) {
    throw Error(ExitCode::kNoDevice,
                fmt::format("the load was interrupted for {:.1f} ms", gap.value * 1e3));
  }
  return slices;
}

}  // namespace

TimedWorkload time_under_load(TimerParts& parts, const Workload& workload) {
  parts.reserve_samples(kSlices + 1);
  for (int attempt = 1;; ++attempt) {
    parts.stream.synchronize();
    parts.activity.take(0);
    Load load(parts, workload);
    load.run();
    try {
      std::vector<SampleBlock> slices = slices_of(parts, load, workload.kernels_per_launch);
      mark_drifted(slices, kSliceRules);
      const BlockSummary summary = summary_of(slices, kSliceRules);
      return {.time = summary.time,
              .sm_clock = summary.clock,
              .power = load.power(),
              .temperature = parts.nvml.temperature(),
              .clock_event_reasons = clock_event_text(load.clock_events()),
              .blocks = std::move(slices)};
    } catch (const Error& error) {
      if (attempt == kAttempts) {
        throw Error(error.code(), std::string("sustained: ") + error.what());
      }
    }
  }
}

}  // namespace tilecast
