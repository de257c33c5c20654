// A resource that serves requests one after another, in request order:
//   done = max(asked, free) + service.
// The caller computes a request's service time, its size over the resource's rate.
// Checked by: server_test.cpp (exact times; a request just before and just after the server is
// free).
#pragma once

#include "model/base/sim_time.h"

namespace tilecast {

class Server {
 public:
  /// Returns the time at which the request is served. `asked` must not decrease.
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
