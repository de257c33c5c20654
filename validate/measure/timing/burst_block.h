// One burst block: a rest, then launches back to back as one CUDA graph, the first eighth of which
// is warm-up (the clock settles within 0.1 to 0.2 ms). The L2 state is one of:
//   rotating  each launch takes the next buffer set; all sets together exceed L2
//   warm      every launch takes the same set
//   flushed   before each launch, memory twice the size of L2 is overwritten; each launch has a
//             separate clock reading, and no time includes the flush
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "validate/measure/timing/replay.h"
#include "validate/measure/timing/timer_parts.h"

namespace tilecast {

struct BurstTimes {
  SampleBlock block;
  Seconds length;                   // total length, including warm-up and flushes
  std::optional<u64> clock_events;  // NVML's bits, read during the block
};

class BurstBlock {
 public:
  /// `parts` and the workload's buffers must outlive it. While it exists, do not create anything
  /// that needs more clock samples.
  BurstBlock(TimerParts& parts, const Workload& workload, std::size_t launches, L2State l2_state,
             const DeviceMemory& flushed);

  /// Waits until the GPU is idle, rests and launches. Throws Error(kNoDevice) if CUPTI lost records
  /// three times.
  BurstTimes take(std::chrono::microseconds rest);
  /// Rests and launches, if nothing has run on the GPU since the last take; the rest begins at that
  /// take.
  BurstTimes take_again(std::chrono::microseconds rest);

 private:
  void enqueue(const Workload& workload, L2State l2_state, const DeviceMemory& flushed) const;
  BurstTimes take_after(std::chrono::steady_clock::time_point rested);
  SampleBlock block_of(std::span<const KernelSpan> spans, const std::vector<Hertz>& clocks) const;
  std::size_t samples() const { return each_has_samples_ ? 2 * timed_ : 2; }

  const TimerParts& parts_;
  std::size_t warm_up_, timed_, kernels_per_launch_;
  bool each_has_samples_;
  std::optional<Replay> replay_;
  std::chrono::steady_clock::time_point idle_since_{};
};

}  // namespace tilecast
