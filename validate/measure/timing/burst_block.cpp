#include "validate/measure/timing/burst_block.h"

#include <thread>

#include "model/base/error.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr int kAttempts = 3;
constexpr std::size_t kShareOfWarmUp = 8;  // one launch in eight warms up

}  // namespace

BurstBlock::BurstBlock(TimerParts& parts, const Workload& workload, std::size_t launches,
                       L2State l2_state, const DeviceMemory& flushed)
    : parts_(parts),
      warm_up_(launches >= kShareOfWarmUp ? launches / kShareOfWarmUp : 0),
      timed_(launches - warm_up_),
      kernels_per_launch_(workload.kernels_per_launch),
      each_has_samples_(l2_state == L2State::kFlushed) {
  parts.reserve_samples(samples());
  replay_.emplace(parts.stream.get(), parts.use_graphs,
                  [this, &workload, l2_state, &flushed] { enqueue(workload, l2_state, flushed); });
}

void BurstBlock::enqueue(const Workload& workload, L2State l2_state,
                         const DeviceMemory& flushed) const {
  const auto set = [&](std::size_t i) {
    return l2_state == L2State::kRotating ? i % workload.sets : 0;
  };
  for (std::size_t i = 0; i < warm_up_ + timed_; ++i) {
    if (each_has_samples_) {
      TILECAST_CUDA(cudaMemsetAsync(flushed.as<void>(), static_cast<int>(i % 2), flushed.bytes(),
                                    parts_.stream.get()));
    }
    const bool counts = i >= warm_up_;
    if (counts && (each_has_samples_ || i == warm_up_)) {
      parts_.sample(each_has_samples_ ? 2 * (i - warm_up_) : 0);
    }
    workload.enqueue(set(i));
    if (counts && each_has_samples_) {
      parts_.sample(2 * (i - warm_up_) + 1);
    }
  }
  if (!each_has_samples_) {
    parts_.sample(1);
  }
}

SampleBlock BurstBlock::block_of(std::span<const KernelSpan> spans,
                                 const std::vector<Hertz>& clocks) const {
  const std::vector<Kernels> between =
      between_markers(spans, MicroKernels::kClockSampler, samples() - 1);
  if (!each_has_samples_) {
    return {.nanoseconds = launch_nanoseconds(between.front(), kernels_per_launch_, timed_),
            .clock = clocks.front()};
  }
  SampleBlock block;
  Hertz sum{0};
  for (std::size_t i = 0; i < between.size(); i += 2) {  // the other intervals contain the flushes
    block.nanoseconds.push_back(launch_nanoseconds(between[i], kernels_per_launch_, 1).front());
    sum += clocks[i];
  }
  block.clock = sum / static_cast<double>(timed_);
  return block;
}

BurstTimes BurstBlock::take(std::chrono::microseconds rest) {
  parts_.stream.synchronize();
  const auto idle_since = std::chrono::steady_clock::now();
  parts_.activity.take(0);
  return take_after(idle_since + rest);
}

BurstTimes BurstBlock::take_again(std::chrono::microseconds rest) {
  return take_after(idle_since_ + rest);
}

BurstTimes BurstBlock::take_after(std::chrono::steady_clock::time_point rested) {
  const std::size_t records = (warm_up_ + timed_) * kernels_per_launch_ + samples();
  for (int attempt = 1;; ++attempt) {
    const auto rest = rested - std::chrono::steady_clock::now();
    std::this_thread::sleep_until(rested);
    replay_->launch();
    const std::optional<u64> events = parts_.nvml.clock_event_reasons();
    parts_.stream.synchronize();
    const std::vector<Hertz> clocks = parts_.clocks_between(samples());
    idle_since_ = std::chrono::steady_clock::now();
    const KernelSpans taken = parts_.activity.take(records);
    const std::span<const KernelSpan> spans = newest(taken, records);
    try {
      return {.block = block_of(spans, clocks),
              .length = seconds_between(spans.front().start_ns, spans.back().end_ns),
              .clock_events = events};
    } catch (const Error&) {  // records were dropped: discard the block
      if (attempt == kAttempts) {
        throw;
      }
    }
    rested = idle_since_ + rest;
  }
}

}  // namespace tilecast
