// Output of a micro-benchmark for each timed region: both clocks, and the SM.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

struct TimedSample {
  u64 cycles;       // duration by clock64 of the SM
  u64 nanoseconds;  // duration by globaltimer, whose steps are 32 ns to about 1 us
  u64 amount;       // bytes or operations in the region, if the kernel determines them
  u32 smid;
  u32 valid;  // 1 after the sample is written

  /// Adds a region that was timed separately.
  TILECAST_HD void add(const TimedSample& piece) {
    cycles += piece.cycles;
    nanoseconds += piece.nanoseconds;
    amount += piece.amount;
  }
};

/// Work of SM `smid` for a kernel with one CTA per SM.
struct SmTask {
  u32 active;  // 0: this SM is idle
  u32 group;   // index of the memory region that it reads
  u32 first;   // its first load, as an index of the region's loads
  u32 step;    // distance between its loads
};

}  // namespace tilecast
