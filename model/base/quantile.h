// Quantiles of measured values, with linear interpolation.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "model/base/error.h"

namespace tilecast {

/// Returns the value at position (n - 1) x fraction, 0 <= fraction <= 1. `sorted` is ascending and
/// not empty; T is a number or a Quantity.
template <class T>
T quantile_of_sorted(std::span<const T> sorted, double fraction) {
  TILECAST_ASSERT(!sorted.empty());
  const double place = static_cast<double>(sorted.size() - 1) * fraction;
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (place - static_cast<double>(below));
}

}  // namespace tilecast
