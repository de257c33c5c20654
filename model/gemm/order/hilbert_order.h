// Enumerates every cell of hilbert.h's curve in order, several times faster than calling
// hilbert_cell() for each.
// Checked by: tile_scheduler_test.cpp (against hilbert_cell()).
#pragma once

#include "model/gemm/order/hilbert.h"

namespace tilecast {
namespace hilbert_order {

using Vector = HilbertVector;

/// Visits the cells from `at` along `major`, with `minor` spanning the other axis, in the recursive
/// order of hilbert_cell().
template <class Visit>
TILECAST_HD constexpr void follow(Vector at, Vector major, Vector minor, const Visit& visit) {
  const i32 w = major.length(), h = minor.length();
  if (w <= 1 || h <= 1) {
    const Vector along = w > 1 ? major.unit() : minor.unit();
    for (i32 left = w * h; left > 0; --left) {
      visit(HilbertCell{at.x, at.y});
      at = at + along;
    }
  } else if (2 * w > 3 * h) {
    const Vector first = major.half(true);
    follow(at, first, minor, visit);
    follow(at + first, major - first, minor, visit);
  } else {
    const Vector a = major.half(false), b = minor.half(true);
    follow(at, b, a, visit);
    follow(at + b, major, minor - b, visit);
    follow(at + (major - major.unit()) + (b - minor.unit()), -b, a - major, visit);
  }
}

}  // namespace hilbert_order

/// Calls `visit` with each cell of the curve over width x height cells.
template <class Visit>
TILECAST_HD constexpr void for_each_hilbert_cell(i32 width, i32 height, const Visit& visit) {
  const hilbert_order::Vector across{width, 0}, up{0, height};
  hilbert_order::follow({0, 0}, width >= height ? across : up, width >= height ? up : across,
                        visit);
}

}  // namespace tilecast
