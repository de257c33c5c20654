// Shared parts of all ways of timing: the launch, the instruments, and the memory of the clock
// samples.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/regime.h"
#include "model/base/units.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/micro_kernels.h"
#include "validate/measure/timing/nvml.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct Workload {
  std::function<void(std::size_t set)> enqueue;  // one launch on the timer's stream
  std::size_t sets;
  std::size_t kernels_per_launch = 1;
  Seconds estimate;  // of one launch; 0 is unknown
};

struct TimedWorkload {
  TimeDistribution time;
  Hertz sm_clock;
  std::optional<Watts> power;  // sustained only, where NVML gives it
  std::optional<Celsius> temperature;
  std::string clock_event_reasons;
  std::vector<SampleBlock> blocks;  // all that were taken
};

struct TimerParts {
  ActivityTimer& activity;
  const MicroKernels& kernels;
  const Nvml& nvml;
  const Stream& stream;
  bool use_graphs = true;
  DeviceMemory samples{};  // of the clock, one launch of the sampler after the other

  /// Reserves room for this many launches of the sampler. No graph that samples may exist.
  void reserve_samples(std::size_t launches) {
    samples.reserve(launches * kernels.clock_samples() * sizeof(ClockSample));
  }
  /// Launches the sampler as number `index`.
  void sample(std::size_t index) const {
    kernels.sample_clock(samples.as<ClockSample>() + index * kernels.clock_samples(), stream.get());
  }
  /// The mean clock between each sample and the next, once the stream is idle; of `launches`
  /// samples.
  std::vector<Hertz> clocks_between(std::size_t launches) const;
};

/// Launches that fit in `length`, from 1 to the capacity of a graph.
std::size_t launches_in(Seconds length, Seconds one_launch);

/// The newest `count` records; any before them are of an earlier block.
std::span<const KernelSpan> newest(const KernelSpans& taken, std::size_t count);

}  // namespace tilecast
