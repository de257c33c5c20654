// A part of the machine that serves one request after the other, in the order of asking:
//   done = max(asked, free) + service.
// The time of a request is its size over the part's rate, worked out once by whoever asks.
// Checked by: server_test.cpp (closed form, both sides of the edge).
#pragma once

#include "model/base/sim_time.h"

namespace tilecast {

class Server {
 public:
  /// When the request is served. `asked` may not go back.
  SimTime serve(SimTime asked, SimTime service) {
    free_ = later(asked, free_) + service;
    busy_ += service;
    return free_;
  }

  SimTime free_at() const { return free_; }
  SimTime busy() const { return busy_; }

 private:
  SimTime free_, busy_;
};

}  // namespace tilecast
