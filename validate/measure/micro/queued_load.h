// A kernel launched again and again, the next launches in the stream before the last has ended, so
// that the GPU does nothing else while the host reads its power.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/micro/timed_sample.h"
#include "model/base/units.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/event.h"

namespace tilecast {

class QueuedLoad {
 public:
  /// Puts one launch of a millisecond or more into the stream, which writes its samples there.
  using Enqueue = std::function<void(TimedSample* samples)>;

  /// `samples` of a launch. The stream outlives this.
  QueuedLoad(const Stream& stream, std::size_t samples, Enqueue enqueue);
  /// Waits for what is queued.
  ~QueuedLoad();
  QueuedLoad(const QueuedLoad&) = delete;
  QueuedLoad& operator=(const QueuedLoad&) = delete;

  /// What ended during a call of run.
  struct Window {
    Seconds length;                     // from end to end of launches
    std::vector<TimedSample> launches;  // the samples of each, joined

    double amount() const;
    /// The part of the window in which the kernels themselves ran.
    double busy() const;
  };
  /// For about `length`, calling `meanwhile` whenever the queue is full. Throws Error where a
  /// launch left no sample.
  Window run(std::chrono::milliseconds length, const std::function<void()>& meanwhile);

 private:
  static constexpr std::size_t kDeep = 16;  // reading NVML takes as long as several launches

  struct Slot {
    DeviceMemory samples;
    CudaEvent ended;
  };

  void launch();
  void take(Window& window);
  Slot& slot(std::size_t launch) { return slots_[launch % slots_.size()]; }

  const Stream& stream_;
  std::size_t samples_;
  Enqueue enqueue_;
  std::array<Slot, kDeep + 1> slots_;  // the queue, and the one that ended last
  std::size_t launched_ = 0, taken_ = 0;
};

}  // namespace tilecast
