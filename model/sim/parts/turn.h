// Counts round-robin uses of a few slots or roles.
#pragma once

#include "model/base/integers.h"

namespace tilecast {

/// A slot among a few used round-robin, and the number of its earlier uses.
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
