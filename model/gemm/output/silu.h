// Sigmoid linear unit (swish).
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Silu : Activation {
  static constexpr const char* kWord = "silu";
  static constexpr const char* kMeaning = "x / (1 + exp(-x))";
  static constexpr ElementWork kWork{.issued = 3, .special = 1};
  static constexpr bool kApproximate = true;

  template <class Math>
  // = x (1 + tanh(x / 2)) / 2
  TILECAST_HD static typename Math::Real apply(typename Math::Real x) {
    const typename Math::Real half = 0.5f * x;
    return Math::multiply_add(half, Math::tanh(half), half);
  }
};

}  // namespace tilecast
