#include "validate/measure/timing/regime_timer.h"

#include <algorithm>
#include <memory>

#include "model/base/error.h"
#include "validate/measure/timing/burst_block.h"
#include "validate/measure/timing/launch_times.h"
#include "validate/measure/timing/sustained_load.h"

namespace tilecast {
namespace {

constexpr Seconds kLongestBurst{9.5e-3};  // the regime ends at 10 ms
constexpr int kAttempts = 3;
constexpr std::size_t kTrialLaunches = 16;  // launches of a trial if the time of a flush is unknown

std::size_t flush_bytes() {
  int device = 0, l2 = 0;
  TILECAST_CUDA(cudaGetDevice(&device));
  TILECAST_CUDA(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, device));
  return 2 * static_cast<std::size_t>(l2);
}

}  // namespace

RegimeTimer::RegimeTimer(ActivityTimer& activity, const MicroKernels& kernels, const Nvml& nvml,
                         const Stream& stream)
    : parts_{.activity = activity, .kernels = kernels, .nvml = nvml, .stream = stream} {
  parts_.reserve_samples(2);
  parts_.use_graphs = graphs_give_records();
}

bool RegimeTimer::graphs_give_records() {
  constexpr std::size_t kLaunches = 4;
  const Replay trial(parts_.stream.get(), true, [this] {
    for (std::size_t i = 0; i < kLaunches; ++i) {
      parts_.sample(0);
    }
  });
  parts_.stream.synchronize();
  parts_.activity.take(0);
  trial.launch();
  parts_.stream.synchronize();
  return parts_.activity.take(kLaunches).spans.size() >= kLaunches;
}

void RegimeTimer::look_at(Workload& workload) {
  constexpr std::size_t kLeastRecords = 4;
  parts_.stream.synchronize();
  parts_.activity.take(0);
  workload.enqueue(0);  // triggers lazy loading
  parts_.sample(0);
  workload.enqueue(workload.sets > 1 ? 1 : 0);
  parts_.sample(0);
  parts_.stream.synchronize();
  const KernelSpans taken = parts_.activity.take(kLeastRecords);
  const Kernels launch = between_markers(taken.spans, MicroKernels::kClockSampler, 1).front();
  if (launch.empty()) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no record of the kernel");
  }
  workload.kernels_per_launch = launch.size();
  workload.estimate = seconds_between(launch.front().start_ns, launch.back().end_ns);
}

Seconds RegimeTimer::brief_time(const Workload& workload) {
  BurstBlock block(parts_, workload, launches_in(kBurstLength, workload.estimate),
                   L2State::kRotating, flushed_);
  std::vector<Seconds> times;
  for (const i64 nanoseconds : block.take(kBurstRest).block.nanoseconds) {
    times.push_back(seconds_of(nanoseconds));
  }
  return distribution_of(std::move(times)).median;
}

TimedWorkload RegimeTimer::burst(const Workload& workload, L2State l2_state) {
  const bool flushes = l2_state == L2State::kFlushed;
  std::size_t launches = launches_in(kBurstLength, workload.estimate);
  if (flushes) {
    flushed_.reserve(flush_bytes());
    launches = std::min(launches, kTrialLaunches);
  }
  auto replay = std::make_unique<BurstBlock>(parts_, workload, launches, l2_state, flushed_);
  BurstTimes taken = replay->take(after_load_ ? kRestAfterLoad : kSettlingRest);
  after_load_ = false;
  for (int attempt = 1; attempt < kAttempts; ++attempt) {
    const bool too_long = launches > 1 && taken.length > kLongestBurst;
    if (!too_long && !(flushes && attempt == 1)) {
      break;
    }
    launches = launches_in(kBurstLength, taken.length / static_cast<double>(launches));
    replay.reset();  // before its samples may move
    replay = std::make_unique<BurstBlock>(parts_, workload, launches, l2_state, flushed_);
    taken = replay->take(kSettlingRest);
  }
  std::vector<SampleBlock> blocks;
  std::optional<u64> events;
  for (;;) {
    taken = replay->take_again(kBurstRest);
    if (taken.clock_events) {
      events = events.value_or(0) | *taken.clock_events;
    }
    blocks.push_back(std::move(taken.block));
    mark_drifted(blocks, kBurstRules);
    if (enough(blocks, kBurstRules)) {
      break;
    }
  }
  const BlockSummary summary = summary_of(blocks, kBurstRules);
  return {.time = summary.time,
          .sm_clock = summary.clock,
          .power = std::nullopt,
          .temperature = parts_.nvml.temperature(),
          .clock_event_reasons = clock_event_text(events),
          .blocks = std::move(blocks)};
}

TimedWorkload RegimeTimer::time(const Workload& workload, Regime regime, L2State l2_state) {
  if (const std::string why = why_not_timed(regime, l2_state); !why.empty()) {
    throw ConfigError(why);
  }
  if (regime == Regime::kBurst) {
    return burst(workload, l2_state);
  }
  Workload sets = workload;
  sets.sets = l2_state == L2State::kWarm ? 1 : workload.sets;
  after_load_ = true;
  return time_under_load(parts_, sets, window_);
}

}  // namespace tilecast
