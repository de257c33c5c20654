// Tracks the recent utilization of a part of the memory: the service time requested in the last one
// to two microseconds, at most that whole time. Checked by: recent_use_test.cpp.
#pragma once

#include <algorithm>

#include "model/base/sim_time.h"

namespace tilecast {

class RecentUse {
 public:
  /// Adds `takes` of service time at `now`, which must not decrease from call to call.
  void add(SimTime now, SimTime takes) {
    const u64 window = static_cast<u64>(now.ps) / kWindow;
    if (window != window_) {
      before_ = window == window_ + 1 ? asked_ : 0;
      asked_ = 0;
      window_ = window;
    }
    asked_ += static_cast<u64>(takes.ps);
  }

  /// Utilization in 1024ths, over this window and the remaining weight of the previous one.
  i64 share(SimTime now) const {
    const u64 time = static_cast<u64>(now.ps), later = time / kWindow - window_;
    const u64 of_before = later == 0 ? before_ : later == 1 ? asked_ : 0;
    const u64 left = kWindow - time % kWindow;
    const u64 asked = (of_before >> 10) * left / (kWindow >> 10) + (later == 0 ? asked_ : 0);
    return static_cast<i64>(std::min<u64>(1024, asked / (kWindow >> 10)));
  }

 private:
  static constexpr u64 kWindow = u64{1} << 20;  // ps

  u64 window_ = 0, asked_ = 0, before_ = 0;
};

}  // namespace tilecast
