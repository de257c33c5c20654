// A tensor of attention heads as addressed by TMA.
#pragma once

#include "model/base/element_type.h"
#include "model/base/integers.h"

namespace tilecast {

/// Describes 16-bit elements, 16-byte aligned. The five dimensions are columns of a head, heads of
/// a set, rows, sets, batch. Strides are in elements and are multiples of 16 bytes.
struct HeadsView {
  const void* pointer;
  ElementType dtype;
  i64 head_dim;
  i64 heads;  // of a set
  i64 rows, sets, batch;
  i64 head_stride, row_stride, batch_stride;
};

/// Heads and rows of one bulk copy of 64 columns; a row of a head is a swizzle row.
struct HeadsBox {
  i32 heads, rows;
};

}  // namespace tilecast
