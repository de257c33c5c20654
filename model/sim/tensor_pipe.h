// The tensor pipes of one SM, shared by its warpgroups.
//
// Wgmmas of one warpgroup run in order of issue; those of several take turns, instruction by
// instruction. A group of one that is issued while another's runs therefore makes it end later: by
// what both have to do at once. No more of the order inside a group is kept.
//   end of a new group = all that was issued before and itself; or, with n others that still run,
//                        n + 1 times its own length where that is less
// Checked by: tensor_pipe_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "model/sim/sim_time.h"

namespace tilecast {

class TensorPipe {
 public:
  /// One more warpgroup; its number.
  i32 join() {
    ends_.emplace_back();
    return static_cast<i32>(ends_.size()) - 1;
  }

  /// A group of wgmmas is issued. `now` may not go back.
  void issue(i32 warpgroup, SimTime now, SimTime length) {
    SimTime& own = ends_[static_cast<std::size_t>(warpgroup)];
    const SimTime start = std::max(now, own);
    free_ = std::max(now, free_) + length;
    busy_ += length;
    i64 others = 0;
    for (SimTime& end : ends_) {
      if (&end != &own && end > start) {
        end = std::min(free_, end + std::min(end - start, length));
        ++others;
      }
    }
    own = std::min(free_, start + length * (others + 1));
  }

  /// When the warpgroup's wgmmas are complete, as far as is known now.
  SimTime end(i32 warpgroup) const { return ends_[static_cast<std::size_t>(warpgroup)]; }
  SimTime busy() const { return busy_; }

 private:
  std::vector<SimTime> ends_;
  SimTime free_, busy_;
};

}  // namespace tilecast
