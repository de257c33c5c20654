// Times a repeated launch in a regime: kernel durations by CUPTI, SM clock read inside the GPU over
// the same interval.
//
// Burst: rest of 32 ms, then about 7 ms of launches back to back as one CUDA graph; the first
// eighth of a long block only warms up. Blocks repeat until their medians agree (launch_times.h).
// Sustained: at least 250 ms of launches without a gap, then about 100 ms more, which count.
// Launches rotate over buffer sets that together exceed L2 several times.
//
// Leaves out: the host's launch overhead, which is in no record. A single launch longer than 10 ms
// is a burst block by itself. Checked by: launch_times_test.cpp and clock_between_test.cpp (its
// arithmetic); by hand on an H200, where a tensor-bound kernel takes the same cycles in both.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/tile/regime.h"
#include "validate/measure/activity_timer.h"
#include "validate/measure/device_memory.h"
#include "validate/measure/micro_kernels.h"
#include "validate/measure/nvml.h"
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
};

class RegimeTimer {
 public:
  /// All referred to outlive the timer. Launches become CUDA graphs, unless a trial shows that
  /// CUPTI delivers no records from inside them: then each is launched by itself.
  RegimeTimer(ActivityTimer& activity, const MicroKernels& kernels, const Nvml& nvml,
              const Stream& stream);

  /// Runs set 0 alone and sets kernels_per_launch and estimate.
  void look_at(Workload& workload);
  TimedWorkload time(const Workload& workload, Regime regime);
  /// Median of one burst block, to choose between algorithms.
  Seconds brief_time(const Workload& workload);

 private:
  struct Block {
    std::vector<Seconds> times;
    Hertz clock;
    Seconds length;
  };
  class Replay;
  class BurstReplay;

  bool graphs_give_records();
  Block burst_block(const BurstReplay& burst);
  TimedWorkload burst(const Workload& workload);
  TimedWorkload sustained(const Workload& workload);
  Hertz sampled_clock() const;
  std::optional<Watts> wait_and_measure_power() const;

  ActivityTimer& activity_;
  const MicroKernels& kernels_;
  const Nvml& nvml_;
  const Stream& stream_;
  bool use_graphs_ = true;
  DeviceMemory samples_;  // two launches of the clock sampler, one after the other
};

}  // namespace tilecast
