#include "validate/measure/regime_timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <thread>

#include "model/base/error.h"
#include "validate/measure/clock_between.h"
#include "validate/measure/launch_times.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRest = std::chrono::milliseconds(32);  // the regime asks for 30
constexpr Seconds kBurstLength{7e-3};
constexpr Seconds kLongestBurst{9.5e-3};  // the regime ends at 10 ms
constexpr Seconds kLaunchGap{1e-6};       // between two kernels of a graph
constexpr Seconds kLoadLength{0.25};
constexpr Seconds kSustainedLength{0.1};
constexpr Seconds kLongestGap{1e-3};    // of a load that still counts as continuous
constexpr Seconds kPowerSettles{0.15};  // after which energy counts
constexpr double kMost = 2000;          // launches of one graph
constexpr int kAttempts = 3;
constexpr std::size_t kShareOfWarmUp = 8;  // one launch in so many

/// Launches that fit in `length`.
std::size_t launches_in(Seconds length, Seconds one_launch) {
  const double count = std::floor(length / (one_launch + kLaunchGap));
  return static_cast<std::size_t>(std::clamp(count, 1.0, kMost));
}

/// The newest `count` records; what an earlier block left over comes before them.
std::span<const KernelSpan> newest(const KernelSpans& taken, std::size_t count) {
  const std::span<const KernelSpan> spans(taken.spans);
  return spans.last(std::min(count, spans.size()));
}

Seconds longest_gap(std::span<const KernelSpan> spans) {
  Seconds longest{0};
  u64 busy_until = spans.front().end_ns;
  for (const KernelSpan& span : spans) {
    if (span.start_ns > busy_until) {
      longest = std::max(longest, seconds_between(busy_until, span.start_ns));
    }
    busy_until = std::max(busy_until, span.end_ns);
  }
  return longest;
}

}  // namespace

/// A sequence of launches that is made once and replayed.
class RegimeTimer::Replay {
 public:
  Replay(const RegimeTimer& timer, std::function<void()> enqueue)
      : stream_(timer.stream_.get()), enqueue_(std::move(enqueue)) {
    if (timer.use_graphs_) {
      graph_.emplace(stream_, enqueue_);
    }
  }

  void launch() const { graph_ ? graph_->launch(stream_) : enqueue_(); }

 private:
  cudaStream_t stream_;
  std::function<void()> enqueue_;
  std::optional<Graph> graph_;
};

/// One block: warm-up, clock sample, timed launches, clock sample.
class RegimeTimer::BurstReplay {
 public:
  BurstReplay(const RegimeTimer& timer, const Workload& workload, std::size_t launches)
      : warm_up_(launches >= kShareOfWarmUp ? launches / kShareOfWarmUp : 0),
        timed_(launches - warm_up_),
        kernels_per_launch_(workload.kernels_per_launch),
        replay_(timer, [&timer, &workload, launches, warm_up = warm_up_] {
          ClockSample* const samples = timer.samples_.as<ClockSample>();
          for (std::size_t i = 0; i < launches; ++i) {
            if (i == warm_up) {
              timer.kernels_.sample_clock(samples, timer.stream_.get());
            }
            workload.enqueue(i % workload.sets);
          }
          timer.kernels_.sample_clock(samples + timer.kernels_.clock_samples(),
                                      timer.stream_.get());
        }) {}

  std::size_t timed() const { return timed_; }
  std::size_t kernels_per_launch() const { return kernels_per_launch_; }
  std::size_t records() const { return (warm_up_ + timed_) * kernels_per_launch_ + 2; }
  void launch() const { replay_.launch(); }

 private:
  std::size_t warm_up_, timed_, kernels_per_launch_;
  Replay replay_;
};

RegimeTimer::RegimeTimer(ActivityTimer& activity, const MicroKernels& kernels, const Nvml& nvml,
                         const Stream& stream)
    : activity_(activity),
      kernels_(kernels),
      nvml_(nvml),
      stream_(stream),
      samples_(2 * kernels.clock_samples() * sizeof(ClockSample)) {
  use_graphs_ = graphs_give_records();
}

bool RegimeTimer::graphs_give_records() {
  constexpr std::size_t kLaunches = 4;
  const Replay trial(*this, [this] {
    for (std::size_t i = 0; i < kLaunches; ++i) {
      kernels_.sample_clock(samples_.as<ClockSample>(), stream_.get());
    }
  });
  stream_.synchronize();
  activity_.take(0);
  trial.launch();
  stream_.synchronize();
  return activity_.take(kLaunches).spans.size() >= kLaunches;
}

void RegimeTimer::look_at(Workload& workload) {
  constexpr std::size_t kLeastRecords = 4;
  stream_.synchronize();
  activity_.take(0);
  workload.enqueue(0);  // loads what is loaded late
  kernels_.sample_clock(samples_.as<ClockSample>(), stream_.get());
  workload.enqueue(workload.sets > 1 ? 1 : 0);
  kernels_.sample_clock(samples_.as<ClockSample>(), stream_.get());
  stream_.synchronize();
  const KernelSpans taken = activity_.take(kLeastRecords);
  const std::span<const KernelSpan> launch =
      between_markers(taken.spans, MicroKernels::kClockSampler);
  if (launch.empty()) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no record of the kernel");
  }
  workload.kernels_per_launch = launch.size();
  workload.estimate = seconds_between(launch.front().start_ns, launch.back().end_ns);
}

Hertz RegimeTimer::sampled_clock() const {
  const std::size_t count = kernels_.clock_samples();
  const std::vector<ClockSample> both =
      copy_to_host(samples_.as<ClockSample>(), 2 * count, stream_.get());
  return clock_between({both.data(), count}, {both.data() + count, count});
}

RegimeTimer::Block RegimeTimer::burst_block(const BurstReplay& burst) {
  for (int attempt = 1;; ++attempt) {
    stream_.synchronize();
    activity_.take(0);
    std::this_thread::sleep_for(kRest);
    burst.launch();
    stream_.synchronize();
    const KernelSpans taken = activity_.take(burst.records());
    try {
      const std::span<const KernelSpan> spans = newest(taken, burst.records());
      std::vector<Seconds> times = launch_times(spans, MicroKernels::kClockSampler,
                                                burst.kernels_per_launch(), burst.timed());
      return {.times = std::move(times),
              .clock = sampled_clock(),
              .length = seconds_between(spans.front().start_ns, spans.back().end_ns)};
    } catch (const Error&) {  // records were dropped: the block says nothing
      if (attempt == kAttempts) {
        throw;
      }
    }
  }
}

Seconds RegimeTimer::brief_time(const Workload& workload) {
  const BurstReplay replay(*this, workload, launches_in(kBurstLength, workload.estimate));
  return distribution_of(burst_block(replay).times).median;
}

TimedWorkload RegimeTimer::burst(const Workload& workload) {
  std::size_t launches = launches_in(kBurstLength, workload.estimate);
  auto replay = std::make_unique<BurstReplay>(*this, workload, launches);
  Block first = burst_block(*replay);
  for (int attempt = 1; attempt < kAttempts && launches > 1 && first.length > kLongestBurst;
       ++attempt) {  // the estimate was too low: shorten the block
    launches = launches_in(kBurstLength, first.length / static_cast<double>(launches));
    replay = std::make_unique<BurstReplay>(*this, workload, launches);
    first = burst_block(*replay);
  }
  std::vector<Seconds> all = first.times;
  std::vector<Seconds> medians{distribution_of(first.times).median};
  Hertz clock_sum = first.clock;
  while (!quiet_enough(medians)) {
    const Block block = burst_block(*replay);
    all.insert(all.end(), block.times.begin(), block.times.end());
    medians.push_back(distribution_of(block.times).median);
    clock_sum += block.clock;
  }
  return {.time = distribution_of(std::move(all)),
          .sm_clock = clock_sum / static_cast<double>(medians.size()),  // blocks are equally long
          .power = std::nullopt};
}

std::optional<Watts> RegimeTimer::wait_and_measure_power() const {
  // The energy counter moves in steps; power is taken between the first and the last step seen.
  struct Step {
    Clock::time_point at;
    Joules energy;
  };
  std::optional<Step> first, last;
  std::optional<Joules> previous;
  const Clock::time_point start = Clock::now();
  for (;;) {
    const cudaError_t state = cudaStreamQuery(stream_.get());
    if (state != cudaErrorNotReady) {
      TILECAST_CUDA(state);
      break;
    }
    const std::optional<Joules> energy = nvml_.energy();
    const Clock::time_point now = Clock::now();
    if (energy && previous && *energy > *previous &&
        now - start > std::chrono::duration<double>(kPowerSettles.value)) {
      last = Step{now, *energy};
      first = first ? first : last;
    }
    previous = energy;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!first || last->at <= first->at) {
    return std::nullopt;
  }
  const double seconds = std::chrono::duration<double>(last->at - first->at).count();
  return Watts{(last->energy - first->energy).value / seconds};
}

TimedWorkload RegimeTimer::sustained(const Workload& workload) {
  const std::size_t launches = launches_in(kBurstLength, workload.estimate);
  const Replay replay(*this, [&] {
    for (std::size_t i = 0; i < launches; ++i) {
      workload.enqueue(i % workload.sets);
    }
  });
  Seconds one_round = (workload.estimate + kLaunchGap) * static_cast<double>(launches);
  for (int attempt = 1;; ++attempt) {
    const auto rounds = [&](Seconds length) {
      return static_cast<std::size_t>(std::ceil(length / one_round)) + 1;
    };
    const std::size_t load = rounds(kLoadLength), timed = rounds(kSustainedLength);
    stream_.synchronize();
    activity_.take(0);
    for (std::size_t i = 0; i < load + timed; ++i) {
      if (i == load) {
        kernels_.sample_clock(samples_.as<ClockSample>(), stream_.get());
      }
      replay.launch();
    }
    kernels_.sample_clock(samples_.as<ClockSample>() + kernels_.clock_samples(), stream_.get());
    const std::optional<Watts> power = wait_and_measure_power();
    const std::size_t kernels = launches * workload.kernels_per_launch;
    const std::size_t records = (load + timed) * kernels + 2;
    const KernelSpans taken = activity_.take(records);
    const std::span<const KernelSpan> spans = newest(taken, records);

    std::string fault;
    try {
      std::vector<Seconds> times = launch_times(spans, MicroKernels::kClockSampler,
                                                workload.kernels_per_launch, timed * launches);
      const u64 timed_from = between_markers(spans, MicroKernels::kClockSampler).front().start_ns;
      const Seconds loaded = seconds_between(spans.front().start_ns, timed_from);
      if (loaded < kLoadLength) {
        one_round = loaded / static_cast<double>(load);
        fault = fmt::format("the load lasted {:.0f} ms only", loaded.value * 1e3);
      } else if (const Seconds gap = longest_gap(spans); gap > kLongestGap) {
        fault = fmt::format("the load was interrupted for {:.1f} ms", gap.value * 1e3);
      } else {
        return {
            .time = distribution_of(std::move(times)), .sm_clock = sampled_clock(), .power = power};
      }
    } catch (const Error& error) {
      fault = error.what();
    }
    if (attempt == kAttempts) {
      throw Error(ExitCode::kNoDevice, "sustained: " + fault);
    }
  }
}

TimedWorkload RegimeTimer::time(const Workload& workload, Regime regime) {
  return regime == Regime::kBurst ? burst(workload) : sustained(workload);
}

}  // namespace tilecast
