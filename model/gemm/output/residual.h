// Adds a matrix R to the result.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Residual : LoadStep {
  static constexpr const char* kWord = "residual";
  static constexpr const char* kMeaning = "adds a matrix like C, which may be C itself";

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x,
                                                         typename Math::Real element) {
    return x + element;
  }
};

}  // namespace tilecast
