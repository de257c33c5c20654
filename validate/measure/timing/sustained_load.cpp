#include "validate/measure/timing/sustained_load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/base/error.h"
#include "validate/measure/timing/event.h"
#include "validate/measure/timing/replay.h"

namespace tilecast {
namespace {

constexpr auto kReadEvery = std::chrono::milliseconds(1);
constexpr double kMilli = 1e3;

}  // namespace

NvmlWatch::NvmlWatch(const Nvml& nvml, std::chrono::milliseconds settle)
    : nvml_(nvml),
      thread_([this, settle](const std::stop_token& stopped) { read(stopped, settle); }) {}

void NvmlWatch::read(const std::stop_token& stopped, std::chrono::milliseconds settle) {
  const auto settled = PowerMeter::Clock::now() + settle;
  for (; !stopped.stop_requested(); std::this_thread::sleep_for(kReadEvery)) {
    if (PowerMeter::Clock::now() < settled) {
      continue;
    }
    const std::optional<Joules> energy = nvml_.energy();
    const auto now = PowerMeter::Clock::now();
    if (stopped.stop_requested()) {
      return;  // the load may have ended before this reading
    }
    meter_.read(energy, now);
    if (const std::optional<u64> events = nvml_.clock_event_reasons()) {
      clock_events_ = clock_events_.value_or(0) | *events;
    }
  }
}

NvmlWatch::Seen NvmlWatch::end() {
  thread_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return {.power = meter_.mean(), .clock_events = clock_events_};
}

std::string why_not_sustained(Kernels spans, std::span<const Kernels> slices, Seconds least) {
  const u64 begin = spans.front().start_ns, sampled_from = slices.front().front().start_ns;
  if (const Seconds loaded = seconds_between(begin, sampled_from); loaded < kLoadLength) {
    return fmt::format(
        "the load lasted only {:.0f} ms before sampling, expected at least {:.0f} ms",
        loaded.value * kMilli, kLoadLength.value * kMilli);
  }
  if (const Seconds sampled = seconds_between(sampled_from, slices.back().back().end_ns);
      sampled < least) {
    return fmt::format("only {:.0f} ms of the load were sampled, expected at least {:.0f} ms",
                       sampled.value * kMilli, least.value * kMilli);
  }
  if (const Gap gap = longest_gap(spans); gap.length > kLongestGap) {
    return fmt::format("the load was interrupted for {:.1f} ms, {:.0f} ms after it began",
                       gap.length.value * kMilli, gap.after.value * kMilli);
  }
  return "";
}

namespace {

// Tolerance, because events and records are stamped by different clocks.
constexpr Seconds kLoadMargin{3e-3};
constexpr double kSliceOfWindow = 0.21;  // five slices are slightly longer than the window
constexpr std::size_t kSlices = 5;
constexpr Seconds kRoundLength{3.5e-3};
constexpr Seconds kEnqueuedAhead{45e-3};
constexpr double kLeastAhead = 3;  // minimum rounds enqueued ahead
// Time after which energy is counted.
constexpr auto kPowerSettles = std::chrono::milliseconds(150);
constexpr auto kPollEvery = std::chrono::microseconds(500);
constexpr int kAttempts = 3;

/// One attempt: the load, the slices, and NVML's readings during the load.
class Load {
 public:
  Load(TimerParts& parts, const Workload& workload, Seconds window)
      : parts_(parts),
        window_(window),
        launches_(launches_in(kRoundLength, workload.estimate)),
        kernels_per_launch_(workload.kernels_per_launch),
        rounds_ahead_(rounds_ahead(workload.estimate * static_cast<double>(launches_))),
        round_(parts.stream.get(), parts.use_graphs, [&workload, launches = launches_] {
          for (std::size_t i = 0; i < launches; ++i) {
            workload.enqueue(i % workload.sets);
          }
        }) {}

  void run() {
    NvmlWatch watch(parts_.nvml, kPowerSettles);
    const Seconds one_round = load_until(kLoadLength + kLoadMargin);
    rounds_per_slice_ = static_cast<std::size_t>(std::ceil(window_ * kSliceOfWindow / one_round));
    for (std::size_t slice = 0; slice < kSlices; ++slice) {
      parts_.sample(slice);
      for (std::size_t i = 0; i < rounds_per_slice_; ++i) {
        round_.launch();
      }
    }
    parts_.sample(kSlices);
    const CudaEvent end;
    end.record(parts_.stream.get());
    wait_for(end);
    seen_ = watch.end();
  }

  std::size_t records() const {
    return (load_rounds_ + kSlices * rounds_per_slice_) * launches_ * kernels_per_launch_ +
           kSlices + 1;
  }
  std::size_t launches_of_slice() const { return rounds_per_slice_ * launches_; }
  const NvmlWatch::Seen& seen() const { return seen_; }
  Seconds window() const { return window_; }

 private:
  /// The `estimate` of a round comes from a cold launch and is too long for short kernels.
  static std::size_t rounds_ahead(Seconds estimate) {
    return static_cast<std::size_t>(
        std::max(kLeastAhead, std::ceil(kEnqueuedAhead / std::max(estimate, kRoundLength))));
  }

  /// Enqueues rounds until the completed and the enqueued ones together last `length`. Returns the
  /// minimum duration of a round.
  Seconds load_until(Seconds length) {
    const CudaEvent begin;
    const std::vector<CudaEvent> ends(rounds_ahead_);
    begin.record(parts_.stream.get());
    Seconds loaded{0};
    for (load_rounds_ = 0;; ++load_rounds_) {
      const CudaEvent& end = ends[load_rounds_ % rounds_ahead_];
      if (load_rounds_ >= rounds_ahead_) {
        wait_for(end);
        const Seconds before = loaded;
        loaded = end.since(begin);
        const std::size_t passed = load_rounds_ - rounds_ahead_ + 1;
        const Seconds mean = loaded / static_cast<double>(passed);
        const Seconds one = std::clamp(loaded - before, mean / 2, mean);
        if (loaded + one * static_cast<double>(rounds_ahead_ - 1) >= length) {
          return one;
        }
      }
      round_.launch();
      end.record(parts_.stream.get());
    }
  }

  static void wait_for(const CudaEvent& event) {
    while (!event.passed()) {
      std::this_thread::sleep_for(kPollEvery);
    }
  }

  const TimerParts& parts_;
  Seconds window_;
  std::size_t launches_, kernels_per_launch_;  // launches of one round
  std::size_t rounds_ahead_;
  Replay round_;
  std::size_t load_rounds_ = 0, rounds_per_slice_ = 0;
  NvmlWatch::Seen seen_;
};

/// Throws Error(kNoDevice) if the records contradict the plan of the load.
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
  if (const std::string why = why_not_sustained(spans, between, load.window()); !why.empty()) {
    throw Error(ExitCode::kNoDevice, why);
  }
  return slices;
}

}  // namespace

TimedWorkload time_under_load(TimerParts& parts, const Workload& workload, Seconds window) {
  parts.reserve_samples(kSlices + 1);
  for (int attempt = 1;; ++attempt) {
    parts.stream.synchronize();
    parts.activity.take(0);
    Load load(parts, workload, window);
    load.run();
    try {
      std::vector<SampleBlock> slices = slices_of(parts, load, workload.kernels_per_launch);
      mark_drifted(slices, kSliceRules);
      const BlockSummary summary = summary_of(slices, kSliceRules);
      return {.time = summary.time,
              .sm_clock = summary.clock,
              .power = load.seen().power,
              .temperature = parts.nvml.temperature(),
              .clock_event_reasons = clock_event_text(load.seen().clock_events),
              .blocks = std::move(slices)};
    } catch (const Error& error) {
      if (attempt == kAttempts) {
        throw Error(error.code(), std::string("sustained: ") + error.what());
      }
    }
  }
}

}  // namespace tilecast
