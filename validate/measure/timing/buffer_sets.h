// Number of buffer sets that a problem's launches rotate over, so that a launch finds none of its
// data in L2.
#pragma once

#include <cstddef>

#include "model/base/units.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct BufferSets {
  std::size_t count;  // at least two
  // Number of sets that together exceed three times L2. It is larger than `count` if it exceeds the
  // launches of a graph.
  std::size_t to_rotate;

  bool rotate() const { return to_rotate <= count; }
};

/// Returns the sets, of `set_bytes` each.
BufferSets buffer_sets(std::size_t set_bytes, Bytes l2);

/// Throws ConfigError if `state` requires rotating over more sets than there are.
void require_sets(const BufferSets& sets, L2State state);

}  // namespace tilecast
