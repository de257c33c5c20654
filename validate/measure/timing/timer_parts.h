// Parts shared by all timing methods: the launch, the instruments, and the memory of the clock
// samples.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/micro/clock_sample.h"
#include "model/base/units.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/nvml.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct Workload {
  std::function<void(std::size_t set)> enqueue;  // enqueues one launch on the timer's stream
  std::size_t sets;
  std::size_t kernels_per_launch = 1;
  Seconds estimate;  // time of one launch; 0 if unknown
};

struct TimedWorkload {
  TimeDistribution time;
  Hertz sm_clock;
  std::optional<Watts> power;  // only sustained, if NVML provides it
  std::optional<Celsius> temperature;
  std::string clock_event_reasons;
  std::vector<SampleBlock> blocks;  // all blocks taken
};

struct TimerParts {
  ActivityTimer& activity;
  const MicroKernels& kernels;
  const Nvml& nvml;
  const Stream& stream;
  bool use_graphs = true;
  DeviceMemory samples{};  // clock samples, one sampler launch after the other

  /// Reserves room for `launches` launches of the sampler. No graph that samples may exist.
  void reserve_samples(std::size_t launches) {
    samples.reserve(launches * kernels.clock_samples() * sizeof(ClockSample));
  }
  /// Launches the sampler with index `index`.
  void sample(std::size_t index) const {
    kernels.sample_clock(samples.as<ClockSample>() + index * kernels.clock_samples(), stream.get());
  }
  /// Returns the mean clock between consecutive samples of `launches` samples, after the stream is
  /// idle.
  std::vector<Hertz> clocks_between(std::size_t launches) const;
};

/// Number of launches that fit in `length`, from 1 to the capacity of a graph.
std::size_t launches_in(Seconds length, Seconds one_launch);

/// Returns the newest `count` records; earlier ones belong to an earlier block.
std::span<const KernelSpan> newest(const KernelSpans& taken, std::size_t count);

/// Returns the median clock of the SMs that both launches reached. Throws Error(kNoDevice)
/// if there is none, or if the clocks did not advance.
Hertz clock_between(std::span<const ClockSample> before, std::span<const ClockSample> after);

}  // namespace tilecast
