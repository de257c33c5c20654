// The rectifier.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Relu : Activation {
  static constexpr const char* kWord = "relu";
  static constexpr const char* kMeaning = "max(x, 0)";
  static constexpr bool kByConversion = true;

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x) {
    return x < 0 ? 0 : x;
  }
};

}  // namespace tilecast
