// GELU by tanh, as torch's approximate="tanh".
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct GeluTanh : Activation {
  static constexpr const char* kWord = "gelu_tanh";
  static constexpr const char* kMeaning = "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2";
  static constexpr ElementWork kWork{.issued = 6, .special = 1};
  static constexpr bool kApproximate = true;

  template <class Math>
  TILECAST_HD static typename Math::Real apply(typename Math::Real x) {
    using Real = typename Math::Real;
    // sqrt(2 / pi), and 0.044715 times that.
    constexpr Real kSlope = static_cast<Real>(0.79788456080286536),
                   kCubed = static_cast<Real>(0.044715 * 0.79788456080286536);
    const Real half = 0.5f * x;
    const Real slope = Math::multiply_add(kCubed, x * x, kSlope);
    return Math::multiply_add(half, Math::tanh(x * slope), half);
  }
};

}  // namespace tilecast
