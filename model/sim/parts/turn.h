// Counts uses of a few slots or roles that are used round-robin.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// One of a few slots used round-robin, and how often it was used before.
struct Turn {
  i32 index = 0;
  u32 use = 0;

  void advance(i32 places) {
    if (++index == places) {
      index = 0;
      ++use;
    }
  }
};

}  // namespace tilecast
