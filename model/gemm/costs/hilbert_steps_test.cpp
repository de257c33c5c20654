#include "model/gemm/costs/hilbert_steps.h"

#include <utility>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr Raster kCurve{RasterKind::kHilbert, 1, Walk::kStrided};

/// Returns about half; rounded to an even number if `even` and `length` exceeds two.
int half(int length, bool even) {
  const int h = length / 2;
  return even && h % 2 != 0 && length > 2 ? h + 1 : h;
}

/// Follows hilbert_cell() down to one row, tracking only the sides of the rectangle.
int steps(int w, int h, int index) {
  if (w < h) {
    std::swap(w, h);
  }
  int count = 0;
  for (; w > 1 && h > 1; ++count) {
    if (2 * w > 3 * h) {
      const int first = half(w, true);
      if (index < first * h) {
        w = first;
      } else {
        index -= first * h;
        w -= first;
      }
      continue;
    }
    const int a = half(w, false), b = half(h, true);
    const int up = a * b, across = w * (h - b);
    if (index < up) {
      w = b;
      h = a;
    } else if (index < up + across) {
      index -= up;
      h -= b;
    } else {
      index -= up + across;
      h = w - a;
      w = b;
    }
  }
  return count;
}

double mean_steps(int w, int h) {
  double sum = 0;
  for (int i = 0; i < w * h; ++i) {
    sum += steps(w, h, i);
  }
  return sum / (w * h);
}

}  // namespace

TEST_CASE("The estimated number of Hilbert steps is within 15 % of the mean over all cells") {
  for (const auto& [m, n] : {std::pair{64, 128},
                             {32, 64},
                             {64, 85},
                             {16, 16},
                             {128, 171},
                             {43, 32},
                             {4, 40},
                             {3, 7},
                             {8, 8}}) {
    const double mean = hilbert_steps(kCurve, static_cast<u32>(m), static_cast<u32>(n));
    CHECK(mean == Approx(mean_steps(m, n)).epsilon(0.15));
  }
}

TEST_CASE("A single row of tiles takes no steps, nor do other orders") {
  CHECK(hilbert_steps(kCurve, 1, 9) == 0);
  CHECK(hilbert_steps(kCurve, 2, 2) == 1);
  CHECK(hilbert_steps({RasterKind::kGroupedM, 8, Walk::kStrided}, 64, 128) == 0);
}
