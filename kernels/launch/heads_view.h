// A tensor of attention heads as the bulk copy engine is to address it.
#pragma once

#include "model/base/element_type.h"
#include "model/base/integers.h"

namespace tilecast {

/// Of 16 bits, 16-byte aligned. Five sides: columns of a head, heads of a group, rows, groups,
/// batch. Strides in elements, whole 16 bytes.
struct HeadsView {
  const void* pointer;
  ElementType dtype;
  i64 head_dim;
  i64 group;  // heads
  i64 rows, groups, batch;
  i64 head_stride, row_stride, batch_stride;
};

}  // namespace tilecast
