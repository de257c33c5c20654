// How many sets of buffers a problem's launches rotate over, so that a launch finds nothing of its
// own in L2.
#pragma once

#include <cstddef>

#include "model/base/units.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct BufferSets {
  std::size_t count;      // at least two
  std::size_t to_rotate;  // this number together exceeds three times L2; over `count` where
                          // that is more than one graph has launches

  bool rotate() const { return to_rotate <= count; }
};

/// For sets of `set_bytes` each.
BufferSets buffer_sets(std::size_t set_bytes, Bytes l2);

/// Throws ConfigError where `state` asks for a rotation that `sets` are too few for.
void require_sets(const BufferSets& sets, L2State state);

}  // namespace tilecast
