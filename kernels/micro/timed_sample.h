// What a micro-benchmark writes for each region that it times: both clocks, and where it ran.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

struct TimedSample {
  u64 cycles;       // by clock64 of the SM
  u64 nanoseconds;  // by globaltimer, whose steps are 32 ns to about 1 us
  u64 amount;       // bytes or operations in the region, where the kernel decides it
  u32 smid;
  u32 valid;  // 1 once written

  /// What was timed piece by piece, together.
  TILECAST_HD void add(const TimedSample& piece) {
    cycles += piece.cycles;
    nanoseconds += piece.nanoseconds;
    amount += piece.amount;
  }
};

/// Work for the SM `smid` of a kernel with one CTA per SM.
struct SmTask {
  u32 active;  // 0: this SM does nothing
  u32 group;   // which region of memory it reads
  u32 first;   // its first load, counted in loads of the region
  u32 step;    // from one of its loads to the next
};

}  // namespace tilecast
