#include "validate/measure/micro/queued_load.h"

#include <utility>

#include "model/base/error.h"
#include "validate/measure/micro/micro_point.h"

namespace tilecast {

QueuedLoad::QueuedLoad(const Stream& stream, std::size_t samples, Enqueue enqueue)
    : stream_(stream), samples_(samples), enqueue_(std::move(enqueue)) {
  for (Slot& slot : slots_) {
    slot.samples.reserve(samples * sizeof(TimedSample));
  }
}

QueuedLoad::~QueuedLoad() { cudaStreamSynchronize(stream_.get()); }

double QueuedLoad::Window::amount() const {
  double sum = 0;
  for (const TimedSample& launch : launches) {
    sum += static_cast<double>(launch.amount);
  }
  return sum;
}

double QueuedLoad::Window::busy() const {
  constexpr double kNano = 1e-9;
  double sum = 0;
  for (const TimedSample& launch : launches) {
    sum += static_cast<double>(launch.nanoseconds) * kNano;
  }
  return sum / length.value;
}

void QueuedLoad::launch() {
  Slot& next = slot(launched_);
  TILECAST_CUDA(
      cudaMemsetAsync(next.samples.as<void>(), 0, samples_ * sizeof(TimedSample), stream_.get()));
  enqueue_(next.samples.as<TimedSample>());
  next.ended.record(stream_.get());
  ++launched_;
}

void QueuedLoad::take(Window& window) {
  // Not copy_to_host, which would wait for the whole queue.
  std::vector<TimedSample> samples(samples_);
  TILECAST_CUDA(cudaMemcpy(samples.data(), slot(taken_).samples.as<void>(),
                           samples_ * sizeof(TimedSample), cudaMemcpyDeviceToHost));
  const TimedSample all = joined(samples);
  if (all.valid != 1) {
    throw Error(ExitCode::kWrong, "a launch of a queued load left no sample");
  }
  if (taken_ > 0) {
    window.length = window.length + slot(taken_).ended.since(slot(taken_ - 1).ended);
    window.launches.push_back(all);
  }
  ++taken_;
}

QueuedLoad::Window QueuedLoad::run(std::chrono::milliseconds length,
                                   const std::function<void()>& meanwhile) {
  using Clock = std::chrono::steady_clock;
  Window window{Seconds{0}, {}};
  for (const auto end = Clock::now() + length; Clock::now() < end;) {
    while (launched_ - taken_ < kDeep) {
      launch();
    }
    if (slot(taken_).ended.passed()) {
      take(window);
    } else {
      meanwhile();
    }
  }
  return window;
}

}  // namespace tilecast
