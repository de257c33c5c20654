// Turns: a few places, or a few roles, that are used one after the other.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// A place among a few that are used in turn, and how often it has been used before.
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
