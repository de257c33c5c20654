// Times a repeated launch in a regime: kernel durations from CUPTI, SM clock read inside the GPU
// over the same interval.
//
// Burst (burst_block.h): rest of 32 ms, then about 7 ms of launches back to back. Blocks repeat
// until their medians agree (block_rules.h). An uncounted first block precedes them, after a short
// rest, so that every counted block follows one of the same configuration: a rest is not enough for
// the clock to recover from the previous load (validate/data/h200_sxm/laboratory). Sustained:
// sustained_load.h; a burst after it rests longer first. By default launches rotate over buffer
// sets that together exceed L2 several times.
//
// Not covered: the host's launch overhead, which no record contains. A single launch longer than 10
// ms is a burst block by itself. Checked by: launch_times_test.cpp, block_rules_test.cpp and
// timer_parts_test.cpp (its arithmetic); by hand on an H200, where a tensor-bound kernel takes
// the same cycles in both regimes.
#pragma once

#include <chrono>

#include "validate/measure/timing/block_rules.h"
#include "validate/measure/timing/timer_parts.h"

namespace tilecast {

constexpr auto kBurstRest = std::chrono::milliseconds(32);    // the regime requires 30
constexpr auto kSettlingRest = std::chrono::milliseconds(5);  // rest before the first block
// Rest before the first block after a sustained one.
constexpr auto kRestAfterLoad = std::chrono::milliseconds(250);
constexpr Seconds kBurstLength{7e-3};  // the regime ends at 10 ms
constexpr BlockRules kBurstRules{};

class RegimeTimer {
 public:
  /// All arguments must outlive the timer. Launches become CUDA graphs, unless a trial shows that
  /// CUPTI delivers no records from graphs; then each is launched separately.
  RegimeTimer(ActivityTimer& activity, const MicroKernels& kernels, const Nvml& nvml,
              const Stream& stream);

  /// Sets how long launches are timed under sustained load, after the warm-up.
  void sustain_for(Seconds window) { window_ = window; }

  /// Times two buffer sets separately to set kernels_per_launch and estimate.
  void look_at(Workload& workload);
  /// Throws ConfigError if why_not_timed gives a reason, and the exceptions of BurstBlock and
  /// time_under_load.
  TimedWorkload time(const Workload& workload, Regime regime,
                     L2State l2_state = L2State::kRotating);
  /// Median of one burst block, to choose between algorithms.
  Seconds brief_time(const Workload& workload);

 private:
  bool graphs_give_records();
  TimedWorkload burst(const Workload& workload, L2State l2_state);

  TimerParts parts_;
  DeviceMemory flushed_;  // twice the size of L2; allocated when first needed
  bool after_load_ = false;
  Seconds window_ = kSustainedWindow;
};

}  // namespace tilecast
