// Follows a Hilbert curve over any rectangle: consecutive cells share an edge (except for one
// diagonal step if a side is odd), so a run of tiles covers a compact patch and reuses both
// operands.
//
// The rectangle is halved along its long side, or divided into three parts that the curve enters
// and leaves at neighbouring corners, until one row is left. This is J. Cerveny's generalization to
// rectangles (github.com/jakubcerveny/gilbert) as a loop that follows one cell down. Checked by:
// tile_scheduler_test.cpp (exact cover, length of steps).
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

struct HilbertCell {
  i32 x, y;
};

/// Vector between two cells along a side of the rectangle.
struct HilbertVector {
  i32 x, y;
  TILECAST_HD constexpr HilbertVector operator+(HilbertVector o) const {
    return {x + o.x, y + o.y};
  }
  TILECAST_HD constexpr HilbertVector operator-(HilbertVector o) const {
    return {x - o.x, y - o.y};
  }
  TILECAST_HD constexpr HilbertVector operator-() const { return {-x, -y}; }
  TILECAST_HD constexpr i32 length() const { return x + y < 0 ? -x - y : x + y; }
  TILECAST_HD constexpr HilbertVector unit() const {
    return {x > 0 ? 1 : x < 0 ? -1 : 0, y > 0 ? 1 : y < 0 ? -1 : 0};
  }
  TILECAST_HD constexpr HilbertVector times(i32 n) const { return {x * n, y * n}; }
  /// Returns about half; rounded to an even number if `even` and the length exceeds two.
  TILECAST_HD constexpr HilbertVector half(bool even) const {
    const HilbertVector h{x / 2, y / 2};
    return even && h.length() % 2 != 0 && length() > 2 ? h + unit() : h;
  }
};

/// Returns the cell at position `index` of the curve over width x height cells; index < width *
/// height.
TILECAST_HD constexpr HilbertCell hilbert_cell(i32 width, i32 height, i32 index) {
  using Vector = HilbertVector;
  Vector at{0, 0};
  // The curve runs from `at` along `major`; `minor` spans the other side.
  Vector major = width >= height ? Vector{width, 0} : Vector{0, height};
  Vector minor = width >= height ? Vector{0, height} : Vector{width, 0};
  while (major.length() > 1 && minor.length() > 1) {
    const i32 w = major.length();
    const i32 h = minor.length();
    if (2 * w > 3 * h) {
      const Vector first = major.half(true);
      const i32 cells = first.length() * h;
      if (index < cells) {
        major = first;
      } else {
        index -= cells;
        at = at + first;
        major = major - first;
      }
      continue;
    }
    const Vector a = major.half(false);
    const Vector b = minor.half(true);
    const i32 up = b.length() * a.length();
    const i32 across = w * (h - b.length());
    if (index < up) {
      major = b;
      minor = a;
    } else if (index < up + across) {
      index -= up;
      at = at + b;
      minor = minor - b;
    } else {
      index -= up + across;
      at = at + (major - major.unit()) + (b - minor.unit());
      const Vector back = -(major - a);
      major = -b;
      minor = back;
    }
  }
  const Vector along = major.length() > 1 ? major.unit() : minor.unit();
  at = at + along.times(index);
  return {at.x, at.y};
}

}  // namespace tilecast
