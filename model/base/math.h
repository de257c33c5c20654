// Integer helpers shared by the model and the kernels.
#pragma once

#include "model/base/host_device.h"

namespace tilecast {

/// Quotient rounded up; numerator >= 0, denominator > 0.
template <class Int>
TILECAST_HD constexpr Int ceil_div(Int numerator, Int denominator) {
  return (numerator + denominator - 1) / denominator;
}

template <class Int>
TILECAST_HD constexpr Int round_up(Int value, Int multiple) {
  return ceil_div(value, multiple) * multiple;
}

template <class T>
TILECAST_HD constexpr T min_of(T a, T b) {
  return b < a ? b : a;
}

template <class T>
TILECAST_HD constexpr T max_of(T a, T b) {
  return a < b ? b : a;
}

}  // namespace tilecast
