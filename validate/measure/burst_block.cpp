#include "validate/measure/burst_block.h"

#include <algorithm>
#include <numeric>
#include <thread>

#include "model/base/error.h"
#include "validate/measure/launch_times.h"

namespace tilecast {
namespace {

constexpr int kAttempts = 3;
constexpr std::size_t kShareOfWarmUp = 8;  // one launch in so many

}  // namespace

BurstBlock::BurstBlock(TimerParts& parts, const Workload& workload, std::size_t launches,
                       L2State l2_state, const DeviceMemory& flushed)
    : parts_(parts),
      warm_up_(launches >= kShareOfWarmUp ? launches / kShareOfWarmUp : 0),
      timed_(launches - warm_up_),
      kernels_per_launch_(workload.kernels_per_launch),
      each_has_samples_(l2_state == L2State::kFlushed) {
  parts.reserve_samples(each_has_samples_ ? 2 * timed_ : 2);
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

SampleBlock BurstBlock::block_of(std::span<const KernelSpan> spans) const {
  if (!each_has_samples_) {
    const std::vector<Kernels> between = between_markers(spans, MicroKernels::kClockSampler, 1);
    return {.nanoseconds = launch_nanoseconds(between.front(), kernels_per_launch_, timed_),
            .clock = parts_.clocks_between(2).front()};
  }
  const std::size_t samples = 2 * timed_;
  const std::vector<Kernels> between =
      between_markers(spans, MicroKernels::kClockSampler, samples - 1);
  const std::vector<Hertz> clocks = parts_.clocks_between(samples);
  SampleBlock block;
  Hertz sum{0};
  for (std::size_t i = 0; i < samples - 1; i += 2) {  // the flushes lie between the others
    block.nanoseconds.push_back(launch_nanoseconds(between[i], kernels_per_launch_, 1).front());
    sum += clocks[i];
  }
  block.clock = sum / static_cast<double>(timed_);
  return block;
}

BurstTimes BurstBlock::take(std::chrono::microseconds rest) const {
  const std::size_t records =
      (warm_up_ + timed_) * kernels_per_launch_ + (each_has_samples_ ? 2 * timed_ : 2);
  for (int attempt = 1;; ++attempt) {
    parts_.stream.synchronize();
    parts_.activity.take(0);
    std::this_thread::sleep_for(rest);
    replay_->launch();
    const std::optional<u64> events = parts_.nvml.clock_event_reasons();
    parts_.stream.synchronize();
    const KernelSpans taken = parts_.activity.take(records);
    const std::span<const KernelSpan> spans = newest(taken, records);
    try {
      SampleBlock block = block_of(spans);
      return {.block = std::move(block),
              .length = seconds_between(spans.front().start_ns, spans.back().end_ns),
              .clock_events = events};
    } catch (const Error&) {  // records were dropped: the block says nothing
      if (attempt == kAttempts) {
        throw;
      }
    }
  }
}

}  // namespace tilecast
