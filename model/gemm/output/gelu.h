// Gaussian error linear unit.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Gelu : Activation {
  static constexpr const char* kWord = "gelu";
  static constexpr const char* kMeaning = "x (1 + erf(x / sqrt(2))) / 2";
  static constexpr ElementWork kWork{.issued = 8, .special = 1};
  static constexpr bool kApproximate = true;

  template <class Math>
  TILECAST_HD static typename Math::Real apply(typename Math::Real x) {
    const typename Math::Real half = 0.5f * x;
    if constexpr (Math::kExact) {
      return Math::multiply_add(half, Math::erf(x * 0.70710678118654752), half);
    } else {
      // erf(x / sqrt(2)) = tanh(x p(x^2)). p is fitted so that half of x times the error is at most
      // 2.6e-5. For |x| >= 5 both are 1, and p is constant.
      const float inside = Math::least(x * x, 25.0f);
      const float slope = Math::multiply_add(
          Math::multiply_add(-3.515168e-4f, inside, 3.7005646e-2f), inside, 0.79750788f);
      return Math::multiply_add(half, Math::tanh(x * slope), half);
    }
  }
};

}  // namespace tilecast
